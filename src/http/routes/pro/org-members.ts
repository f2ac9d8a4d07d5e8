/** GET /orgs/:id/members, PUT and DELETE /orgs/:id/members/:userId */
import { orgRoles, type OrgRole } from '../../../domain/org.js';
import type { Zod } from '../../../runtime/load.js';
import { endpoint, type Endpoint } from '../../endpoint.js';
import type { EndpointTools } from '../../endpoint-tools.js';
import { pageOf, pageQuery } from '../../page-query.js';
import { actingAs } from './api-keys.js';

/** A role. The provider refuses an unknown one, with its own code. */
export const roleText = (z: Zod) => z.string().meta({ enum: [...orgRoles] });

export function orgMemberEndpoints({ service, z, answers }: EndpointTools): Endpoint[] {
  return [
    endpoint({
      method: 'get',
      path: '/orgs/:id/members',
      access: 'session',
      summary: 'Lists the members of an organization of yours, oldest first; for admins with addresses',
      query: pageQuery(z),
      answer: answers.members,
      errors: ['not_authorized'],
      handle: async ({ req, me, param }) =>
        service.orgs.listMembers(param('id'), { actingUserId: me.id }, pageOf(req)),
    }),
    endpoint({
      method: 'put',
      path: '/orgs/:id/members/:userId',
      access: 'fresh',
      summary:
        'Gives a member another role. For admins; only owners make owners, and the last owner stays one',
      body: z.object({ role: roleText(z) }),
      answer: answers.membership,
      errors: ['email_unverified', 'org_error'],
      async handle(call) {
        const { body, param } = call;
        const role = body.role as OrgRole;
        const membership = await service.orgs.setRole(param('id'), param('userId'), role, actingAs(call));
        return { membership };
      },
    }),
    endpoint({
      method: 'delete',
      path: '/orgs/:id/members/:userId',
      access: 'fresh',
      // A member who leaves takes nothing from anyone.
      atAnyAge: ({ me, param }) => param('userId') === me.id,
      summary: 'Removes a member, for admins; or leaves, as oneself. The last owner stays',
      answer: answers.ok,
      errors: ['org_error'],
      async handle(call) {
        await service.orgs.removeMember(call.param('id'), call.param('userId'), actingAs(call));
        return { ok: true };
      },
    }),
  ];
}
