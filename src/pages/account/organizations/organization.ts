/** One organization: its members, invitations and keys, as far as the role of the user allows. */
import { atLeast, type OrgRole } from '../../../domain/org.js';
import { html, type Html } from '../../../html/html.js';
import { isServiceError } from '../../../errors/service-error.js';
import { pageLinks, pageOf } from '../list.js';
import { notFoundView } from '../refusal-views.js';
import { at, filled, type AccountPage, type AccountVisit, type ShownVisit } from '../page.js';
import { badge, linkButton, panel, row, when } from '../parts.js';
import { keyRows } from '../tokens/key-rows.js';

/** Returns a path below that of the organization of the request. */
export function inOrganization({ param }: Pick<AccountVisit, 'param'>, path = ''): string {
  return filled('/organizations/:org', param) + path;
}

/** Returns the organization and the membership of the user; null if the user is not a member, whether or not it exists. */
export async function membershipIn({ actor, offers, param }: AccountVisit) {
  try {
    return await offers.orgs!.get(param('org'), actor);
  } catch (error) {
    if (isServiceError(error) && error.code === 'not_authorized') return null;
    throw error;
  }
}

export const organizationPage: AccountPage = {
  section: 'organizations',
  path: '/organizations/:org',
  access: 'session',
  isOffered: ({ orgs }) => orgs !== null,
  async show(visit) {
    const found = await membershipIn(visit);
    if (!found) return notFoundView(visit);
    const { org, membership } = found;
    const { role } = membership;
    const panels = await Promise.all([
      membersPanel(visit, role),
      atLeast(role, 'admin') && invitesPanel(visit),
      atLeast(role, 'admin') && keysPanel(visit),
    ]);
    const { organizations } = visit.words;
    return {
      title: org.name,
      parent: { label: organizations.title, path: '/organizations' },
      isWide: true,
      body: html`${panels} ${endPanel(visit, role)}`,
    };
  },
};

async function membersPanel(visit: ShownVisit, role: OrgRole): Promise<Html> {
  const { actor, me, offers, param, words } = visit;
  const { organizations } = words;
  const { members, nextCursor } = await offers.orgs!.listMembers(
    param('org'),
    actor,
    pageOf(visit, 'members'),
  );
  const isAdmin = atLeast(role, 'admin');
  const rows = members.map((member) => {
    const isSelf = member.userId === me.id;
    const name = member.email ?? (isSelf ? me.email : null) ?? organizations.unknownMember;
    const path = `/members/${encodeURIComponent(member.userId)}`;
    // As the provider allows: an admin does not change an owner.
    const mayChange = isAdmin && !isSelf && (role === 'owner' || member.role !== 'owner');
    return row({
      title: html`<bdi>${name}</bdi> ${isSelf && badge(organizations.you)}`,
      detail: html`${organizations.roles[member.role]} ·
      ${organizations.memberSince(when(visit, member.createdAt))}`,
      actions: mayChange && [
        linkButton(visit, {
          path: at(visit, inOrganization(visit, `${path}/role`)),
          label: organizations.changeRole,
          about: name,
        }),
        linkButton(visit, {
          path: at(visit, inOrganization(visit, `${path}/remove`)),
          label: words.remove,
          about: name,
        }),
      ],
    });
  });
  return panel({
    id: 'members',
    title: organizations.members,
    action:
      isAdmin &&
      offers.orgs!.mailsInvites &&
      linkButton(visit, { path: at(visit, inOrganization(visit, '/invite')), label: organizations.invite }),
    rows,
    body: pageLinks(visit, 'members', nextCursor),
  });
}

async function invitesPanel(visit: ShownVisit): Promise<Html | null> {
  const { actor, offers, param, words } = visit;
  const { organizations } = words;
  if (!offers.orgs!.mailsInvites) return null;
  const { invites, nextCursor } = await offers.orgs!.listInvites(
    param('org'),
    actor,
    pageOf(visit, 'invites'),
  );
  const rows = invites.map(({ id, email, role, expiresAt }) =>
    row({
      title: html`<bdi>${email}</bdi>`,
      detail: html`${organizations.roles[role]} · ${organizations.expires(when(visit, expiresAt))}`,
      actions: linkButton(visit, {
        path: at(visit, inOrganization(visit, `/invites/${encodeURIComponent(id)}/revoke`)),
        label: organizations.revokeInvite,
        about: email,
      }),
    }),
  );
  return panel({
    id: 'invites',
    title: organizations.invites,
    rows,
    empty: organizations.noInvites,
    body: pageLinks(visit, 'invites', nextCursor),
  });
}

async function keysPanel(visit: ShownVisit): Promise<Html | null> {
  const { actor, offers, param, words } = visit;
  if (!offers.apiKeys) return null;
  const { organizations, tokens } = words;
  const { apiKeys, nextCursor } = await offers.apiKeys.list(
    { orgId: param('org') },
    actor,
    pageOf(visit, 'keys'),
  );
  return panel({
    id: 'keys',
    title: organizations.keys,
    lead: organizations.keysLead,
    action: linkButton(visit, { path: at(visit, inOrganization(visit, '/keys/new')), label: tokens.create }),
    rows: keyRows(visit, apiKeys, (id) =>
      at(visit, inOrganization(visit, `/keys/${encodeURIComponent(id)}/revoke`)),
    ),
    empty: organizations.noKeys,
    body: pageLinks(visit, 'keys', nextCursor),
  });
}

function endPanel(visit: ShownVisit, role: OrgRole): Html {
  const { organizations } = visit.words;
  const rows = [
    row({
      title: organizations.leave,
      detail: organizations.leaveLead,
      actions: linkButton(visit, {
        path: at(visit, inOrganization(visit, '/leave')),
        label: organizations.leave,
        kind: 'danger',
      }),
    }),
    ...(role === 'owner'
      ? [
          row({
            title: organizations.delete,
            detail: organizations.deleteLead,
            actions: linkButton(visit, {
              path: at(visit, inOrganization(visit, '/delete')),
              label: organizations.delete,
              kind: 'danger',
            }),
          }),
        ]
      : []),
  ];
  return panel({ id: 'end', title: organizations.dangerZone, rows, isDangerous: true });
}
