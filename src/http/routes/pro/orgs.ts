/** GET and POST /orgs, GET and DELETE /orgs/:id */
import { endpoint, type Endpoint } from '../../endpoint.js';
import type { EndpointTools } from '../../endpoint-tools.js';
import { pageOf, pageQuery } from '../../page-query.js';
import { actingAs } from './api-keys.js';

export function orgEndpoints({ service, z, answers }: EndpointTools): Endpoint[] {
  return [
    endpoint({
      method: 'get',
      path: '/orgs',
      access: 'session',
      summary: 'Lists the organizations that you are a member of, oldest membership first',
      query: pageQuery(z),
      answer: answers.orgs,
      errors: ['invalid_request'],
      async handle({ req, me, context }) {
        const { memberships, nextCursor } = await service.orgs.listForUser(me.id, pageOf(req), context);
        return { orgs: memberships.map(({ org, ...membership }) => ({ org, membership })), nextCursor };
      },
    }),
    endpoint({
      method: 'post',
      path: '/orgs',
      access: 'own',
      summary: 'Creates an organization, with you as its owner',
      body: z.object({ name: z.string(), slug: z.string().optional() }),
      answer: answers.org,
      errors: ['email_unverified', 'org_error', 'rate_limit_exceeded'],
      async handle(call) {
        const { name, slug } = call.body;
        const input = { name, ...(slug !== undefined && { slug }), ownerUserId: call.me.id };
        return service.orgs.create(input, actingAs(call));
      },
    }),
    endpoint({
      method: 'get',
      path: '/orgs/:id',
      access: 'session',
      summary: 'Returns an organization of yours, by its id or its slug',
      answer: answers.org,
      errors: ['not_authorized'],
      handle: async ({ me, param }) => service.orgs.get(param('id'), { actingUserId: me.id }),
    }),
    endpoint({
      method: 'delete',
      path: '/orgs/:id',
      access: 'fresh',
      summary: 'Deletes an organization, with its memberships, invites and keys. For owners',
      answer: answers.ok,
      errors: ['org_error'],
      async handle(call) {
        await service.orgs.delete(call.param('id'), actingAs(call));
        return { ok: true };
      },
    }),
  ];
}
