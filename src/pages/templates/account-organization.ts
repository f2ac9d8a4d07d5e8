/** One organization: its name and logo, its members, invitations and keys, as far as the role of the user allows. */
import {
  avatar,
  badge,
  dotted,
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
    aboutPanel(page, view),
    membersPanel(page, view),
    invites && invitesPanel(page, invites),
    keys && keysPanel(page, view.path, keys),
  ];
  return html`${panels} ${endPanel(page, view)}`;
}

function aboutPanel(
  page: AccountTemplatePage,
  { avatar: logo, editPath, name, slug }: AccountOrganizationView,
): Html {
  const { organizations } = page.words;
  const about = row({
    icon: avatar(logo, 'large'),
    title: html`<bdi>${name}</bdi>`,
    detail: organizations.slug(html`<bdi>${slug}</bdi>`),
    actions: editPath !== null && linkButton(page, { path: editPath, label: organizations.edit }),
  });
  return panel({ id: 'about', title: html`<bdi>${name}</bdi>`, rows: [about], isTitleHidden: true });
}

function membersPanel(page: AccountTemplatePage, view: AccountOrganizationView): Html {
  const { words } = page;
  const { organizations } = words;
  const rows = view.members.map(({ createdAt, email, isSelf, name, removePath, role, rolePath, ...member }) =>
    row({
      icon: avatar(member.avatar),
      title: html`<bdi>${name}</bdi> ${isSelf && badge(organizations.you)}`,
      detail: dotted(
        email !== null && html`<bdi>${email}</bdi>`,
        organizations.roles[role],
        organizations.memberSince(when(page, createdAt)),
      ),
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

function endPanel(page: AccountTemplatePage, { isOnlyOwner, path, role }: AccountOrganizationView): Html {
  const { organizations } = page.words;
  const leave = row({
    title: organizations.leave,
    detail: isOnlyOwner ? organizations.onlyOwner : organizations.leaveLead,
    actions:
      !isOnlyOwner && linkButton(page, { path: `${path}/leave`, label: organizations.leave, kind: 'danger' }),
  });
  const end = row({
    title: organizations.delete,
    detail: organizations.deleteLead,
    actions: linkButton(page, { path: `${path}/delete`, label: organizations.delete, kind: 'danger' }),
  });
  const rows = role === 'owner' ? [leave, end] : [leave];
  return panel({ id: 'end', title: organizations.dangerZone, rows, isDangerous: true });
}
