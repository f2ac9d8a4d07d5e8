/** One organization: its members, invitations and keys, as far as the role of the user allows. */
import {
  badge,
  html,
  linkButton,
  pageLinks,
  panel,
  row,
  when,
  type AccountOrganizationView,
  type AccountTemplatePage,
  type Html,
} from '../template.js';
import { keyRows } from './key-rows.js';

export function accountOrganization(page: AccountTemplatePage, view: AccountOrganizationView): Html {
  const { invites, keys } = view;
  const panels = [
    membersPanel(page, view),
    invites && invitesPanel(page, invites),
    keys && keysPanel(page, view.path, keys),
  ];
  return html`${panels} ${endPanel(page, view)}`;
}

function membersPanel(page: AccountTemplatePage, view: AccountOrganizationView): Html {
  const { words } = page;
  const { organizations } = words;
  const rows = view.members.map(({ createdAt, isSelf, name, removePath, role, rolePath }) =>
    row({
      title: html`<bdi>${name}</bdi> ${isSelf && badge(organizations.you)}`,
      detail: html`${organizations.roles[role]} · ${organizations.memberSince(when(page, createdAt))}`,
      actions: rolePath !== null &&
        removePath !== null && [
          linkButton(page, { path: rolePath, label: organizations.changeRole, about: name }),
          linkButton(page, { path: removePath, label: words.remove, about: name }),
        ],
    }),
  );
  return panel({
    id: 'members',
    title: organizations.members,
    action: view.canInvite && linkButton(page, { path: `${view.path}/invite`, label: organizations.invite }),
    rows,
    body: pageLinks(page, view.memberPages),
  });
}

function invitesPanel(
  page: AccountTemplatePage,
  invites: NonNullable<AccountOrganizationView['invites']>,
): Html {
  const { organizations } = page.words;
  const rows = invites.list.map(({ email, expiresAt, revokePath, role }) =>
    row({
      title: html`<bdi>${email}</bdi>`,
      detail: html`${organizations.roles[role]} · ${organizations.expires(when(page, expiresAt))}`,
      actions: linkButton(page, { path: revokePath, label: organizations.revokeInvite, about: email }),
    }),
  );
  return panel({
    id: 'invites',
    title: organizations.invites,
    rows,
    empty: organizations.noInvites,
    body: pageLinks(page, invites.pages),
  });
}

function keysPanel(
  page: AccountTemplatePage,
  path: string,
  keys: NonNullable<AccountOrganizationView['keys']>,
): Html {
  const { organizations, tokens } = page.words;
  return panel({
    id: 'keys',
    title: organizations.keys,
    lead: organizations.keysLead,
    action: linkButton(page, { path: `${path}/keys/new`, label: tokens.create }),
    rows: keyRows(page, keys.list),
    empty: organizations.noKeys,
    body: pageLinks(page, keys.pages),
  });
}

function endPanel(page: AccountTemplatePage, { path, role }: AccountOrganizationView): Html {
  const { organizations } = page.words;
  const leave = row({
    title: organizations.leave,
    detail: organizations.leaveLead,
    actions: linkButton(page, { path: `${path}/leave`, label: organizations.leave, kind: 'danger' }),
  });
  const end = row({
    title: organizations.delete,
    detail: organizations.deleteLead,
    actions: linkButton(page, { path: `${path}/delete`, label: organizations.delete, kind: 'danger' }),
  });
  const rows = role === 'owner' ? [leave, end] : [leave];
  return panel({ id: 'end', title: organizations.dangerZone, rows, isDangerous: true });
}
