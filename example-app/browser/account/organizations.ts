/** Organizations: creates, leaves and deletes them. Members, invitations and keys are in the organization-*.ts modules. */
import type { Org } from 'svc-auth/client';
import { auth } from '../auth.js';
import { el, get, say } from '../dom.js';
import { onClick, onSubmit } from '../forms.js';
import { liveList } from '../list.js';
import { again } from '../sign-in-again.js';
import { invitesOf } from './organization-invites.js';
import { keysOf } from './organization-keys.js';
import { membersOf } from './organization-members.js';
import type { Role } from './organization-parts.js';

export function startOrganizations(userId: string): void {
  const rows = new Map<string, HTMLElement>();
  const refresh = liveList(
    get('org-list'),
    async () => (await auth.orgs.list()).orgs,
    ({ org, membership: { role } }) => {
      // Reuses the row: an open one stays open, and keeps a new key that is shown only once.
      const rowKey = `${org.id} ${role}`;
      const row = rows.get(rowKey) ?? rowOf(org, role);
      rows.set(rowKey, row);
      return row;
    },
  );

  function rowOf(org: Org, role: Role): HTMLElement {
    const isOwner = role === 'owner';
    const button = el(
      'button',
      { type: 'button', class: 'quiet danger', 'data-busy': isOwner ? 'Deleting…' : 'Leaving…' },
      isOwner ? `Delete ${org.name}` : `Leave ${org.name}`,
    );
    const deletion = {
      title: `Delete ${org.name}?`,
      text: 'Its members lose access and its keys stop working. This cannot be undone.',
      verb: 'Delete organization',
    };
    const departure = {
      title: `Leave ${org.name}?`,
      text: 'You need a new invitation to come back.',
      verb: 'Leave organization',
    };
    onClick(
      button,
      async () => {
        if (isOwner) await again(() => auth.orgs.remove(org.id));
        else await auth.orgs.members.remove(org.id, userId);
        await refresh();
        say(isOwner ? 'Organization deleted.' : `You've left ${org.name}.`);
      },
      isOwner ? deletion : departure,
    );
    const details = el(
      'details',
      {},
      el('summary', {}, el('strong', {}, org.name), ' ', el('span', { class: 'badge' }, role)),
    );
    // Loads the parts when the row is opened for the first time.
    details.addEventListener(
      'toggle',
      () => {
        const message = el('p', { class: 'error', role: 'alert', 'data-message': true });
        const manages = role !== 'member';
        const parts = [membersOf(org, role, userId), manages && invitesOf(org, role), manages && keysOf(org)];
        details.append(el('div', { class: 'parts' }, ...parts, el('section', {}, message, button)));
      },
      { once: true },
    );
    return el('li', {}, details);
  }

  onSubmit(get<HTMLFormElement>('create-org'), async ({ name = '' }) => {
    await auth.orgs.create({ name });
    get<HTMLFormElement>('create-org').reset();
    await refresh();
    say('Organization created.');
  });
  void refresh();
}
