/** GET and POST /orgs, GET and DELETE /orgs/:id */
import type { OrgMembership } from '../../../domain/org.js';
import { NotAuthorizedError } from '../../../errors/catalog.js';
import { newOrgBudgets } from '../../../kit/budgets.js';
import { internals } from '../../../kit/internals.js';
import { endpoint, type Endpoint } from '../../endpoint.js';
import type { EndpointTools } from '../../endpoint-tools.js';
import { orgOf } from './org-access.js';

export function orgEndpoints({ service, z, answers }: EndpointTools): Endpoint[] {
  /** Null for an organisation that went meanwhile. */
  async function withOrg(membership: OrgMembership) {
    const org = await service.orgs.get(membership.orgId);
    return org && { org, membership };
  }

  return [
    endpoint({
      method: 'get',
      path: '/orgs',
      access: 'session',
      summary: 'The organisations that you are a member of',
      answer: answers.orgs,
      async handle({ me }) {
        const memberships = await service.orgs.listForUser(me.id);
        const found = await Promise.all(memberships.map(withOrg));
        return { orgs: found.filter((each) => each !== null) };
      },
    }),
    endpoint({
      method: 'post',
      path: '/orgs',
      access: 'own',
      summary: 'Founds an organisation, with you as its owner',
      body: z.object({ name: z.string(), slug: z.string().optional() }),
      answer: answers.org,
      errors: ['org_error', 'rate_limit_exceeded'],
      async handle({ me, body: { name, slug } }) {
        // Without a refund: a refusal tells that a slug is taken, and nobody is to learn that of many.
        await service[internals].limiter.charge(newOrgBudgets(me.id));
        return service.orgs.create({ name, ...(slug !== undefined && { slug }), ownerUserId: me.id });
      },
    }),
    endpoint({
      method: 'get',
      path: '/orgs/:id',
      access: 'session',
      summary: 'An organisation of yours, by its id or its slug',
      answer: answers.org,
      errors: ['not_authorized'],
      async handle({ me, param }) {
        const org = await orgOf(service, me.id, param('id'), 'member');
        const own = await service.orgs.listForUser(me.id);
        const membership = own.find(({ orgId }) => orgId === org.id);
        // Gone since the line before last.
        if (!membership) throw new NotAuthorizedError();
        return { org, membership };
      },
    }),
    endpoint({
      method: 'delete',
      path: '/orgs/:id',
      access: 'fresh',
      summary: 'Deletes an organisation, with its memberships, invites and keys. For owners',
      answer: answers.ok,
      errors: ['org_error'],
      async handle({ me, param }) {
        const { id } = await orgOf(service, me.id, param('id'), 'owner');
        await service.orgs.delete(id, { actingUserId: me.id });
        return { ok: true };
      },
    }),
  ];
}
