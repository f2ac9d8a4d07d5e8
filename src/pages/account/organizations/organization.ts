/** One organization: its members, invitations and keys, as far as the role of the user allows. */
import { atLeast, type Org, type OrgRole } from '../../../domain/org.js';
import { internals } from '../../../core/internals.js';
import type { Service } from '../../../engine/service.js';
import { isServiceError } from '../../../errors/service-error.js';
import { avatarOf, type AvatarView } from '../../../pages-kit/avatar.js';
import type { OrgMember } from '../../../providers/orgs/members.js';
import { listPages, pageOf } from '../list.js';
import { notFoundView } from '../refusal-views.js';
import { at, defineAccountPage, filled, type AccountVisit, type ShownVisit } from '../page.js';
import { keyViews } from '../tokens/key-views.js';
import type { AccountOrganizationView } from '../views.js';

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

export const organizationPage = defineAccountPage({
  section: 'organizations',
  path: '/organizations/:org',
  access: 'session',
  isOffered: ({ orgs }) => orgs !== null,
  async show(visit) {
    const found = await membershipIn(visit);
    if (!found) return notFoundView(visit);
    const { org, membership } = found;
    const { role } = membership;
    const { me, offers, service, templates, words } = visit;
    const { name, slug } = org;
    const [members, onlyOwned, invites, keys] = await Promise.all([
      membersOf(visit, role),
      role === 'owner' && offers.orgs!.listOnlyOwned(me.id),
      atLeast(role, 'admin') ? invitesOf(visit) : null,
      atLeast(role, 'admin') ? keysOf(visit) : null,
    ]);
    return {
      title: org.name,
      parent: { label: words.organizations.title, path: '/organizations' },
      isWide: true,
      body: templates.accountOrganization(visit, {
        path: at(visit, inOrganization(visit)),
        name,
        slug,
        avatar: logoOf(service, org),
        editPath: atLeast(role, 'admin') ? at(visit, inOrganization(visit, '/edit')) : null,
        role,
        isOnlyOwner: onlyOwned && onlyOwned.includes(org.id),
        members: members.list,
        memberPages: members.pages,
        canInvite: atLeast(role, 'admin') && offers.orgs!.mailsInvites,
        invites,
        keys,
      }),
    };
  },
});

/** Returns the logo of an organization, or its initials. */
export function logoOf(service: Service, org: Org): AvatarView {
  const { name, picture } = service[internals].profiles.ofOrg(org);
  return avatarOf({ id: org.id, picture }, name, 'organization');
}

/** Returns how a member is shown: with the address only if the user may see it. */
export function memberView(
  { me, words }: AccountVisit,
  { email = null, name = null, picture = null, userId }: OrgMember,
): { name: string; email: string | null; avatar: AvatarView } {
  const address = email ?? (userId === me.id ? me.email : null);
  const shown = name ?? address ?? words.organizations.unknownMember;
  return {
    name: shown,
    email: name === null ? null : address,
    avatar: avatarOf({ id: userId, picture }, shown),
  };
}

async function membersOf(visit: ShownVisit, role: OrgRole) {
  const { actor, me, offers, param } = visit;
  const position = pageOf(visit, 'members');
  const { members, nextCursor } = await offers.orgs!.listMembers(param('org'), actor, position);
  const list = members.map((member) => {
    const isSelf = member.userId === me.id;
    // As the provider allows: an admin does not change an owner.
    const mayChange = atLeast(role, 'admin') && !isSelf && (role === 'owner' || member.role !== 'owner');
    const path = at(visit, inOrganization(visit, `/members/${encodeURIComponent(member.userId)}`));
    return {
      ...memberView(visit, member),
      role: member.role,
      isSelf,
      createdAt: member.createdAt,
      rolePath: mayChange ? `${path}/role` : null,
      removePath: mayChange ? `${path}/remove` : null,
    };
  });
  return { list, pages: listPages(visit, 'members', nextCursor) };
}

async function invitesOf(visit: ShownVisit): Promise<AccountOrganizationView['invites']> {
  const { actor, offers, param } = visit;
  if (!offers.orgs!.mailsInvites) return null;
  const position = pageOf(visit, 'invites');
  const { invites, nextCursor } = await offers.orgs!.listInvites(param('org'), actor, position);
  const list = invites.map(({ id, email, role, expiresAt }) => ({
    email,
    role,
    expiresAt,
    revokePath: at(visit, inOrganization(visit, `/invites/${encodeURIComponent(id)}/revoke`)),
  }));
  return { list, pages: listPages(visit, 'invites', nextCursor) };
}

async function keysOf(visit: ShownVisit): Promise<AccountOrganizationView['keys']> {
  const { actor, offers, param } = visit;
  if (!offers.apiKeys) return null;
  const owner = { orgId: param('org') };
  const { apiKeys, nextCursor } = await offers.apiKeys.list(owner, actor, pageOf(visit, 'keys'));
  return {
    list: keyViews(visit, apiKeys, (id) =>
      at(visit, inOrganization(visit, `/keys/${encodeURIComponent(id)}/revoke`)),
    ),
    pages: listPages(visit, 'keys', nextCursor),
  };
}
