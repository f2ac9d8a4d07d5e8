/** Members of an organization: their roles and removal. The page offers only what the routes allow for the user's role. */
import type { Org, OrgMembers } from 'svc-auth/client';
import { auth } from '../auth.js';
import { day, el, say } from '../dom.js';
import { onClick, showError } from '../forms.js';
import { liveList } from '../list.js';
import { again } from '../sign-in-again.js';
import { emptyList, grantable, part, roleOptions, type Role } from './organization-parts.js';

type Member = OrgMembers['members'][number];

export function membersOf(org: Org, own: Role, userId: string): HTMLElement {
  const rows = emptyList('No members.');
  const whole = part('Members', org.name, rows);
  const refresh = liveList(rows, async () => (await auth.orgs.members.list(org.id)).members, row);

  function row(member: Member): HTMLElement {
    const isSelf = member.userId === userId;
    const name = isSelf ? 'You' : (member.email ?? 'Member');
    const since = el('span', { class: 'soft' }, 'since ', day(member.createdAt));
    const text = el('p', {}, el('strong', {}, name), el('br'), since);
    // Owners can change every member; admins can change everyone but owners.
    if (isSelf || !grantable(own).includes(member.role)) {
      return el('li', {}, text, el('span', { class: 'badge' }, member.role));
    }
    const remove = el(
      'button',
      { type: 'button', class: 'quiet danger', 'data-busy': 'Removing…' },
      'Remove',
    );
    remove.setAttribute('aria-label', `Remove ${name}`);
    const question = {
      title: `Remove ${name}?`,
      text: `They lose access to ${org.name} immediately.`,
      verb: 'Remove member',
    };
    onClick(
      remove,
      async () => {
        await again(() => auth.orgs.members.remove(org.id, member.userId));
        await refresh();
        say('Member removed.');
      },
      question,
    );
    return el('li', {}, text, el('span', { class: 'row' }, roleChoice(member, name), remove));
  }

  function roleChoice(member: Member, name: string): HTMLElement {
    const options = roleOptions(grantable(own), member.role);
    const choice = el('select', { 'aria-label': `Role of ${name}` }, ...options);
    choice.addEventListener('change', () => {
      const role = choice.value as Role;
      again(() => auth.orgs.members.update(org.id, member.userId, { role }))
        .then(() => say(`${name} is now ${role}.`))
        .catch((error: unknown) => showError(whole, error))
        .finally(() => void refresh());
    });
    return choice;
  }

  void refresh();
  return whole;
}
