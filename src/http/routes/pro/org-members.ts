/** The members of an organization. */
import * as z from 'zod';
import { orgRoles, type OrgRole } from '../../../domain/org.js';
import { endpoint, type Target } from '../../endpoint.js';
import { pageOf, pageQuery } from '../../page-query.js';
import { responses } from '../../response-schemas.js';
import { actorOf } from './api-keys.js';
import { lazily } from '../../../runtime/load.js';

/** Accepts any string: the provider refuses an unknown role, with its own error code. */
export const roleField = lazily(
  () => z.string().meta({ enum: [...orgRoles] }) as z.ZodType as z.ZodType<OrgRole>,
);

const requires = ({ service }: Target) => service.orgs;

export const listMembers = endpoint({
  access: 'session',
  summary: 'Lists the members of one of your organizations, oldest first. Admins also get their addresses',
  query: pageQuery,
  response: responses.members,
  errors: ['not_authorized'],
  requires,
  handle: async ({ service, req, me, param }) =>
    service.orgs.listMembers(param('id'), { actingUserId: me.id }, pageOf(req)),
});

export const setMemberRole = endpoint({
  access: 'recent',
  summary:
    'Changes the role of a member. For admins. Only owners can make a member an owner, and the last owner keeps the role',
  body: () => z.object({ role: roleField() }),
  response: responses.membership,
  errors: ['email_unverified', 'org_error'],
  requires,
  async handle({ service, me, session, body, param }) {
    const actor = actorOf({ me, session });
    return { membership: await service.orgs.setRole(param('id'), param('userId'), body.role, actor) };
  },
});

export const removeMember = endpoint({
  access: 'recent',
  // Leaving an organization harms no other member.
  exemptFromReauth: ({ me, param }) => param('userId') === me.id,
  summary: 'Removes a member, for admins, or yourself. The last owner cannot be removed',
  response: responses.ok,
  errors: ['org_error'],
  requires,
  async handle({ service, me, session, param }) {
    await service.orgs.removeMember(param('id'), param('userId'), actorOf({ me, session }));
    return { ok: true };
  },
});
