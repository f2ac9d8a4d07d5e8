/** GET /orgs/:id/members, PUT and DELETE /orgs/:id/members/:userId */
import { orgRoles, type OrgRole } from '../../../domain/org.js';
import { OrgError } from '../../../errors/catalog.js';
import type { Zod } from '../../../runtime/load.js';
import { endpoint, type Endpoint } from '../../endpoint.js';
import type { EndpointTools } from '../../endpoint-tools.js';
import { orgOf } from './org-access.js';

/** A role. That there is no such one is for the provider to say, by its own code. */
export const roleText = (z: Zod) => z.string().meta({ enum: [...orgRoles] });

export function orgMemberEndpoints({ service, z, answers }: EndpointTools): Endpoint[] {
  return [
    endpoint({
      method: 'get',
      path: '/orgs/:id/members',
      access: 'session',
      summary: 'Who is in an organisation of yours, oldest first; for admins with their addresses',
      answer: answers.members,
      errors: ['not_authorized'],
      async handle({ me, param }) {
        const { id } = await orgOf(service, me.id, param('id'), 'member');
        return { members: await service.orgs.listMembers(id, { actingUserId: me.id }) };
      },
    }),
    endpoint({
      method: 'put',
      path: '/orgs/:id/members/:userId',
      access: 'fresh',
      summary:
        'Gives a member another role. For admins; only owners make owners, and the last owner stays one',
      body: z.object({ role: roleText(z) }),
      answer: answers.membership,
      errors: ['org_error'],
      async handle({ me, body: { role }, param }) {
        const { orgs } = service;
        const { id } = await orgOf(service, me.id, param('id'), 'admin');
        const userId = param('userId');
        // Who is no member here may be somebody elsewhere or nobody at all: that is not for an admin to find out.
        if ((await orgs.roleOf(id, userId)) === null) throw new OrgError('This user is not a member.');
        return { membership: await orgs.setRole(id, userId, role as OrgRole, { actingUserId: me.id }) };
      },
    }),
    endpoint({
      method: 'delete',
      path: '/orgs/:id/members/:userId',
      access: 'fresh',
      // Who leaves takes nothing from anybody.
      atAnyAge: ({ me, param }) => param('userId') === me.id,
      summary: 'Removes a member, for admins; or leaves, as oneself. The last owner stays',
      answer: answers.ok,
      errors: ['org_error'],
      async handle({ me, param }) {
        const { orgs } = service;
        const userId = param('userId');
        const { id } = await orgOf(service, me.id, param('id'), userId === me.id ? 'member' : 'admin');
        if ((await orgs.roleOf(id, userId)) === null) throw new OrgError('This user is not a member.');
        await orgs.removeMember(id, userId, { actingUserId: me.id });
        return { ok: true };
      },
    }),
  ];
}
