/** Invites to an organization. */
import * as z from 'zod';
import { ProviderNotConfiguredError } from '../../../errors/catalog.js';
import { newInvite } from '../../../providers/orgs/invites.js';
import { endpoint, type Target } from '../../endpoint.js';
import { pageOf, pageQuery } from '../../page-query.js';
import { responses } from '../../response-schemas.js';
import { actorOf } from './api-keys.js';
import { roleField } from './org-members.js';

const requires = ({ service }: Target) => service.orgs;

export const listInvites = endpoint({
  access: 'session',
  summary: 'Lists the invites that are neither accepted nor expired, oldest first. For admins',
  query: pageQuery,
  response: responses.invites,
  errors: ['not_authorized'],
  requires,
  handle: async ({ service, req, me, param }) =>
    service.orgs.listInvites(param('id'), { actingUserId: me.id }, pageOf(req)),
});

export const createInvite = endpoint({
  // Membership is permanent: a forgotten session or an impersonating administrator must not invite.
  access: 'recent',
  summary: 'Mails an invite. For admins',
  body: () => newInvite().pick({ email: true }).extend({ role: roleField().optional() }),
  response: responses.invite,
  errors: ['email_unverified', 'org_error', 'rate_limit_exceeded', 'email_send_failed'],
  requires({ service }) {
    // Only the owner of the mailbox may learn the token, so it is sent by mail or not at all.
    if (!service.orgs.mailsInvites) throw new ProviderNotConfiguredError('orgs.inviteUrl');
  },
  async handle({ service, me, body, context, param }) {
    const input = { ...body, orgId: param('id'), invitedByUserId: me.id };
    const { invite } = await service.orgs.invite(input, context);
    return { invite };
  },
});

export const revokeInvite = endpoint({
  access: 'recent',
  summary: 'Revokes an invite. Ignores an invite that is unknown, accepted or already revoked. For admins',
  response: responses.ok,
  requires,
  async handle({ service, me, session, param }) {
    await service.orgs.revokeInvite(param('id'), param('inviteId'), actorOf({ me, session }));
    return { ok: true };
  },
});

/** A POST, so that the token does not appear in access logs. */
export const previewInvite = endpoint({
  access: 'open',
  summary: 'Returns the organization, the role and the masked addresses of an invite, by its token',
  body: () => z.object({ token: z.string() }),
  response: responses.invitePreview,
  errors: ['token_invalid', 'rate_limit_exceeded'],
  requires,
  handle: async ({ service, body, context }) => service.orgs.previewInvite(body.token, context),
});

export const declineInvite = endpoint({
  access: 'no-impersonation',
  summary: 'Declines an invite that was mailed to your address. It can no longer be accepted',
  body: () => z.object({ token: z.string() }),
  response: responses.ok,
  errors: ['token_invalid', 'not_authorized'],
  requires,
  async handle({ service, me, body }) {
    await service.orgs.declineInvite(body.token, me.id);
    return { ok: true };
  },
});

export const acceptInvite = endpoint({
  access: 'no-impersonation',
  summary: 'Accepts an invite that was mailed to your address',
  body: () => z.object({ token: z.string() }),
  response: responses.membership,
  requires,
  handle: async ({ service, me, body }) => ({
    membership: await service.orgs.acceptInvite(body.token, me.id),
  }),
});
