/** Organizations. */
import { orgChanges } from '../../../providers/orgs/changes.js';
import { newOrg } from '../../../providers/orgs/creation.js';
import { endpoint, type Target } from '../../endpoint.js';
import { pageOf, pageQuery } from '../../page-query.js';
import { responses } from '../../response-schemas.js';
import { actorOf } from './api-keys.js';

const requires = ({ service }: Target) => service.orgs;

export const listOrgs = endpoint({
  access: 'session',
  summary: 'Lists the organizations that you are a member of, oldest membership first',
  query: pageQuery,
  response: responses.orgs,
  errors: ['invalid_request'],
  requires,
  async handle({ service, req, me, context }) {
    const { memberships, nextCursor } = await service.orgs.listForUser(me.id, pageOf(req), context);
    return { orgs: memberships.map(({ org, ...membership }) => ({ org, membership })), nextCursor };
  },
});

export const createOrg = endpoint({
  access: 'no-impersonation',
  summary: 'Creates an organization, with you as its owner',
  body: () => newOrg().pick({ name: true, slug: true }),
  response: responses.org,
  errors: ['email_unverified', 'org_error', 'rate_limit_exceeded'],
  requires,
  handle: async ({ service, me, session, body }) =>
    service.orgs.create({ ...body, ownerUserId: me.id }, actorOf({ me, session })),
});

export const getOrg = endpoint({
  access: 'session',
  summary: 'Returns one of your organizations, by its id or its slug',
  response: responses.org,
  errors: ['not_authorized'],
  requires,
  handle: async ({ service, me, param }) => service.orgs.get(param('id'), { actingUserId: me.id }),
});

export const updateOrg = endpoint({
  access: 'no-impersonation',
  summary: 'Changes the name and the picture of an organization, as far as they are given. For admins',
  body: orgChanges,
  response: responses.changedOrg,
  errors: ['org_error', 'rate_limit_exceeded'],
  requires,
  async handle({ service, me, session, body, param }) {
    return { org: await service.orgs.update(param('id'), body, actorOf({ me, session })) };
  },
});

export const deleteOrg = endpoint({
  access: 'recent',
  summary: 'Deletes an organization, with its memberships, invites and API keys. For owners',
  response: responses.ok,
  errors: ['org_error'],
  requires,
  async handle({ service, me, session, param }) {
    await service.orgs.delete(param('id'), actorOf({ me, session }));
    return { ok: true };
  },
});
