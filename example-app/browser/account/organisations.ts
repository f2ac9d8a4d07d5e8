/** Organisations: founded, left, deleted. What is in them is in the other modules of organisations. */
import type { Org } from 'svc-auth/client';
import { auth } from '../auth.js';
import { el, get, say } from '../dom.js';
import { onClick, onSubmit } from '../forms.js';
import { liveList } from '../list.js';
import { again } from '../sign-in-again.js';
import { invitesOf } from './organisation-invites.js';
import { keysOf } from './organisation-keys.js';
import { membersOf } from './organisation-members.js';
import type { Role } from './organisation-parts.js';

export function startOrganisations(userId: string): void {
  const rows = new Map<string, HTMLElement>();
  const refresh = liveList(
    get('org-list'),
    async () => (await auth.orgs.list()).orgs,
    ({ org, membership: { role } }) => {
      // The same row again: one that is open stays so, with a new key that is shown this one time.
      const known = `${org.id} ${role}`;
      const row = rows.get(known) ?? rowOf(org, role);
      rows.set(known, row);
      return row;
    },
  );

  function rowOf(org: Org, role: Role): HTMLElement {
    const owner = role === 'owner';
    const end = el(
      'button',
      { type: 'button', class: 'quiet danger', 'data-busy': owner ? 'Deleting…' : 'Leaving…' },
      owner ? `Delete ${org.name}` : `Leave ${org.name}`,
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
      end,
      async () => {
        if (owner) await again(() => auth.orgs.remove(org.id));
        else await auth.orgs.members.remove(org.id, userId);
        await refresh();
        say(owner ? `${org.name} is deleted.` : `You have left ${org.name}.`);
      },
      owner ? deletion : departure,
    );
    const details = el(
      'details',
      {},
      el('summary', {}, el('strong', {}, org.name), ' ', el('span', { class: 'badge' }, role)),
    );
    // Read when somebody looks, and then once.
    details.addEventListener(
      'toggle',
      () => {
        const message = el('p', { class: 'error', role: 'alert', 'data-message': true });
        const manages = role !== 'member';
        const parts = [membersOf(org, role, userId), manages && invitesOf(org, role), manages && keysOf(org)];
        details.append(el('div', { class: 'parts' }, ...parts, el('section', {}, message, end)));
      },
      { once: true },
    );
    return el('li', {}, details);
  }

  onSubmit(get<HTMLFormElement>('create-org'), async ({ name = '' }) => {
    await auth.orgs.create({ name });
    get<HTMLFormElement>('create-org').reset();
    await refresh();
    say(`${name} is founded. Invite somebody.`);
  });
  void refresh();
}
