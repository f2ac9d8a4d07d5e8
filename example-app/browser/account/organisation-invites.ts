/** Invitations of an organisation: sent, listed while nobody has accepted them, withdrawn. For admins and owners. */
import type { Org } from 'svc-auth/client';
import { auth } from '../auth.js';
import { day, el, say } from '../dom.js';
import { onClick, onSubmit } from '../forms.js';
import { liveList } from '../list.js';
import { again } from '../sign-in-again.js';
import { emptyList, grantable, labelled, part, roleOptions, type Role } from './organisation-parts.js';

export function invitesOf(org: Org, own: Role): HTMLElement {
  const rows = emptyList('No invitation is waiting.');
  const refresh = liveList(
    rows,
    async () => (await auth.orgs.invites.list(org.id)).invites,
    ({ id, email, role, expiresAt }) => {
      const about = el('span', { class: 'soft' }, `as ${role} · until `, day(expiresAt));
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
        text: 'The link in the mail stops working.',
        verb: 'Withdraw invitation',
      };
      onClick(
        withdraw,
        async () => {
          await again(() => auth.orgs.invites.remove(org.id, id));
          await refresh();
          say(`The invitation to ${email} is withdrawn.`);
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
    say(`An invitation is on its way to ${email}.`);
  });
  void refresh();
  return part('Invitations', org.name, rows, form);
}

function inviteForm(org: Org, own: Role): HTMLFormElement {
  const id = `invite-${org.id}`;
  const [email, error] = labelled('Invite by mail', id, { name: 'email', type: 'email' });
  const role = el('select', { id: `${id}-role`, name: 'role' }, ...roleOptions(grantable(own), 'member'));
  return el(
    'form',
    { class: 'invite' },
    email,
    el('div', { class: 'field' }, el('label', { for: `${id}-role` }, 'Role'), role),
    el('button', { class: 'plain', 'data-busy': 'Sending…' }, 'Invite'),
    error,
    el('p', { class: 'error', role: 'alert', 'data-message': true }),
  );
}
