/** The role of a member, and the end of a membership. */
import type { OrgRole } from '../../../domain/org.js';
import { orgRoles } from '../../../domain/org.js';
import type { OrgMember } from '../../../providers/orgs/members.js';
import { changeBody } from '../change.js';
import { everyRow } from '../list.js';
import {
  at,
  defineAccountPage,
  done,
  type AccountPage,
  type AccountVisit,
  type ParentPage,
} from '../page.js';
import { notFoundView } from '../refusal-views.js';
import { removal } from '../removal.js';
import { inOrganization, membershipIn, memberView } from './organization.js';
import { roleChoice } from './role-choice.js';

/** The page of the organization, by its name: the section has all of them. */
export async function parentOf(visit: AccountVisit): Promise<ParentPage> {
  const found = await membershipIn(visit);
  return { label: found?.org.name ?? visit.words.organizations.title, path: inOrganization(visit) };
}

/** Returns the member of the request, with the address if the user may see it. */
async function memberIn(visit: AccountVisit) {
  const { actor, offers, param } = visit;
  const found = await membershipIn(visit);
  if (!found) return undefined;
  const { members } = await offers.orgs!.listMembers(param('org'), actor, everyRow);
  return members.find(({ userId }) => userId === param('user'));
}

/** Names a member so that two members of the same name are not mixed up. */
function subjectOf(visit: AccountVisit, member: OrgMember): string {
  const { email, name } = memberView(visit, member);
  return email === null ? name : `${name} (${email})`;
}

const rolePage = defineAccountPage({
  section: 'organizations',
  path: '/organizations/:org/members/:user/role',
  access: 'recent',
  isOffered: ({ orgs }) => orgs !== null,
  async show(visit, attempt) {
    const member = await memberIn(visit);
    if (!member) return notFoundView(visit);
    const { param, words } = visit;
    const { organizations } = words;
    const path = `/members/${encodeURIComponent(param('user'))}/role`;
    const body = changeBody(visit, {
      subject: subjectOf(visit, member),
      form: {
        action: at(visit, inOrganization(visit, path)),
        fields: roleChoice(visit, orgRoles, attempt?.values.get('role') ?? member.role),
        submit: organizations.saveRole,
        cancel: at(visit, inOrganization(visit)),
      },
    });
    return { title: organizations.changeRole, parent: await parentOf(visit), body };
  },
  forms: {
    '': {
      access: 'recent',
      async submit(values, visit) {
        const { actor, offers, param } = visit;
        // The provider refuses any other role.
        const role = values.get('role') as OrgRole;
        await offers.orgs!.setRole(param('org'), param('user'), role, actor);
        return done(visit, inOrganization(visit), 'roleSaved');
      },
    },
  },
});

const removePage = removal({
  section: 'organizations',
  path: '/organizations/:org/members/:user/remove',
  access: 'recent',
  isOffered: ({ orgs }) => orgs !== null,
  words: ({ words: { organizations } }) => ({
    title: organizations.removeMember,
    lead: organizations.removeMemberLead,
    submit: organizations.removeMember,
  }),
  parent: parentOf,
  async find(visit) {
    const member = await memberIn(visit);
    return member && subjectOf(visit, member);
  },
  async remove(visit) {
    const { actor, offers, param } = visit;
    await offers.orgs!.removeMember(param('org'), param('user'), actor);
    return done(visit, inOrganization(visit), 'memberRemoved');
  },
});

export const memberPages: readonly AccountPage[] = [rolePage, removePage];
