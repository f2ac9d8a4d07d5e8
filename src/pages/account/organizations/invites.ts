/** A new invitation, and the end of one. */
import { atLeast, orgRoles, type OrgRole } from '../../../domain/org.js';
import { input } from '../../../pages-kit/fields.js';
import { attempted } from '../../form.js';
import { changeBody } from '../change.js';
import { everyRow } from '../list.js';
import { at, defineAccountPage, done, type AccountPage } from '../page.js';
import { notFoundView } from '../refusal-views.js';
import { removal } from '../removal.js';
import { parentOf } from './members.js';
import { inOrganization, membershipIn } from './organization.js';
import { roleChoice } from './role-choice.js';
import { FieldError } from '../../../pages-kit/attempt.js';

const invitePage = defineAccountPage({
  section: 'organizations',
  path: '/organizations/:org/invite',
  access: 'recent',
  isOffered: ({ orgs }) => orgs?.mailsInvites === true,
  async show(visit, attempt) {
    const found = await membershipIn(visit);
    if (!found || !atLeast(found.membership.role, 'admin')) return notFoundView(visit);
    const { texts, words } = visit;
    const { organizations } = words;
    // Only owners make owners.
    const roles = orgRoles.filter((role) => role !== 'owner' || found.membership.role === 'owner');
    const body = changeBody(visit, {
      lead: organizations.inviteLead,
      form: {
        action: at(visit, inOrganization(visit, '/invite')),
        fields: [
          input({ ...attempted(attempt, 'email'), label: texts.email, type: 'email' }),
          roleChoice(visit, roles, attempt?.values.get('role') ?? 'member'),
        ],
        submit: organizations.sendInvite,
        cancel: at(visit, inOrganization(visit)),
      },
    });
    return { title: organizations.inviteTitle, parent: await parentOf(visit), body };
  },
  forms: {
    '': {
      access: 'recent',
      async submit(values, visit) {
        const { context, me, offers, param, texts } = visit;
        const email = (values.get('email') ?? '').trim();
        if (email === '') throw new FieldError('email', texts.errors.email);
        // The provider refuses any other role.
        const role = values.get('role') as OrgRole;
        await offers.orgs!.invite({ orgId: param('org'), email, role, invitedByUserId: me.id }, context);
        return done(visit, inOrganization(visit), 'invited');
      },
    },
  },
});

const revokePage = removal({
  section: 'organizations',
  path: '/organizations/:org/invites/:invite/revoke',
  access: 'recent',
  isOffered: ({ orgs }) => orgs !== null,
  words: ({ words: { organizations } }) => ({
    title: organizations.revokeInviteTitle,
    lead: organizations.revokeInviteLead,
    submit: organizations.revokeInviteTitle,
  }),
  parent: parentOf,
  async find(visit) {
    const { actor, offers, param } = visit;
    const found = await membershipIn(visit);
    if (!found || !atLeast(found.membership.role, 'admin')) return undefined;
    const { invites } = await offers.orgs!.listInvites(param('org'), actor, everyRow);
    return invites.find(({ id }) => id === param('invite'))?.email;
  },
  async remove(visit) {
    const { actor, offers, param } = visit;
    await offers.orgs!.revokeInvite(param('org'), param('invite'), actor);
    return done(visit, inOrganization(visit), 'inviteRevoked');
  },
});

export const invitePages: readonly AccountPage[] = [invitePage, revokePage];
