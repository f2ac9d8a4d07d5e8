/** Who is in an organisation: roles, removal, invitations. The routes refuse what a role may not do; so does the page. */
import type { Org, OrgMembers, OrgRole } from 'svc-auth/client';
import { auth } from '../auth.js';
import { day, el, say } from '../dom.js';
import { onClick, onSubmit, showError } from '../forms.js';
import { again } from '../sign-in-again.js';

type Member = OrgMembers['members'][number];

const roles: readonly OrgRole[] = ['member', 'admin', 'owner'];

export function membersOf(org: Org, own: OrgRole, userId: string): HTMLElement {
  const rows = el('ul', { class: 'items', 'aria-busy': true });
  const whole = el('div', { class: 'stackup' }, rows, own !== 'member' && inviteForm(org));
  const refresh = async () => {
    try {
      const { members } = await auth.orgs.members.list(org.id);
      rows.replaceChildren(...members.map(row));
    } catch (error) {
      showError(whole.closest('section')!, error);
    }
    rows.removeAttribute('aria-busy');
  };

  function row(member: Member): HTMLElement {
    const me = member.userId === userId;
    const name = me ? 'You' : (member.email ?? 'A member');
    const since = el('span', { class: 'soft' }, 'since ', day(member.createdAt));
    const text = el('p', {}, el('strong', {}, name), el('br'), since);
    // Owners change everybody; admins all but owners.
    const mayChange = !me && (own === 'owner' || (own === 'admin' && member.role !== 'owner'));
    if (!mayChange) return el('li', {}, text, el('span', { class: 'badge' }, member.role));
    const remove = el(
      'button',
      { type: 'button', class: 'quiet danger', 'data-busy': 'Removing…' },
      'Remove',
    );
    remove.setAttribute('aria-label', `Remove ${name}`);
    onClick(remove, async () => {
      await auth.orgs.members.remove(org.id, member.userId);
      await refresh();
      say(`${name} is no member any more.`);
    });
    return el('li', {}, text, el('span', { class: 'row' }, roleChoice(member, name), remove));
  }

  function roleChoice(member: Member, name: string): HTMLElement {
    const offered = roles.filter((role) => own === 'owner' || role !== 'owner');
    const options = offered.map((role) => el('option', { selected: role === member.role }, role));
    const choice = el('select', { 'aria-label': `Role of ${name}` }, ...options);
    choice.addEventListener('change', () => {
      const role = choice.value as OrgRole;
      again(() => auth.orgs.members.update(org.id, member.userId, { role }))
        .then(() => say(`${name} is ${role} now.`))
        .catch((error: unknown) => showError(choice.closest('section')!, error))
        .finally(() => void refresh());
    });
    return choice;
  }

  void refresh();
  return whole;
}

function inviteForm(org: Org): HTMLElement {
  const id = `invite-${org.id}`;
  const input = el('input', {
    id,
    name: 'email',
    type: 'email',
    autocomplete: 'off',
    required: true,
    'aria-describedby': `${id}-error`,
  });
  const form = el(
    'form',
    { class: 'inline' },
    el(
      'div',
      { class: 'field' },
      el('label', { for: id }, 'Invite by mail'),
      input,
      el('p', { class: 'error', id: `${id}-error` }),
    ),
    el('button', { class: 'plain', 'data-busy': 'Sending…' }, 'Invite'),
    el('p', { class: 'error', role: 'alert', 'data-message': true }),
  );
  onSubmit(form, async ({ email = '' }) => {
    await again(() => auth.orgs.invites.create(org.id, { email }));
    form.reset();
    say(`An invitation is on its way to ${email}.`);
  });
  return form;
}
