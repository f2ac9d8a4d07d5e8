/** Pending invitations of an organization: sends, lists and withdraws them. For admins and owners. */
import type { Org } from 'svc-auth/client';
import { auth } from '../auth.js';
import { day, el, say } from '../dom.js';
import { onClick, onSubmit } from '../forms.js';
import { liveList } from '../list.js';
import { again } from '../sign-in-again.js';
import { emptyList, grantable, labeled, part, roleOptions, type Role } from './organization-parts.js';

export function invitesOf(org: Org, own: Role): HTMLElement {
  const rows = emptyList('No pending invitations.');
  const refresh = liveList(
    rows,
    async () => (await auth.orgs.invites.list(org.id)).invites,
    ({ id, email, role, expiresAt }) => {
      const about = el('span', { class: 'soft' }, `${role} · expires `, day(expiresAt));
      const text = el('p', {}, el('strong', {}, email), el('br'), about);
      if (!grantable(own).includes(role)) return el('li', {}, text);
      const withdraw = el(
        'button',
        { type: 'button', class: 'quiet danger', 'data-busy': 'Withdrawing…' },
        'Withdraw',
      );
      withdraw.setAttribute('aria-label', `Withdraw the invitation to ${email}`);
      const question = {
        title: `Withdraw the invitation to ${email}?`,
        text: 'The link in the email stops working.',
        verb: 'Withdraw invitation',
      };
      onClick(
        withdraw,
        async () => {
          await again(() => auth.orgs.invites.remove(org.id, id));
          await refresh();
          say(`Invitation to ${email} withdrawn.`);
        },
        question,
      );
      return el('li', {}, text, withdraw);
    },
  );
  const form = inviteForm(org, own);
  onSubmit(form, async ({ email = '', role }) => {
    await again(() => auth.orgs.invites.create(org.id, { email, role: role as Role }));
    form.reset();
    await refresh();
    say(`Invitation sent to ${email}.`);
  });
  void refresh();
  return part('Invitations', org.name, rows, form);
}

function inviteForm(org: Org, own: Role): HTMLFormElement {
  const id = `invite-${org.id}`;
  const [email, error] = labeled('Invite by email', id, { name: 'email', type: 'email' });
  const role = el('select', { id: `${id}-role`, name: 'role' }, ...roleOptions(grantable(own), 'member'));
  return el(
    'form',
    { class: 'invite' },
    email,
    el('div', { class: 'field' }, el('label', { for: `${id}-role` }, 'Role'), role),
    el('button', { class: 'plain', 'data-busy': 'Sending…' }, 'Send invitation'),
    error,
    el('p', { class: 'error', role: 'alert', 'data-message': true }),
  );
}
