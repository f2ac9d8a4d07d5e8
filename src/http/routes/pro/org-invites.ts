/** GET and POST /orgs/:id/invites, DELETE /orgs/:id/invites/:inviteId, POST /orgs/invites/preview, /orgs/invites/accept */
import type { OrgRole } from '../../../domain/org.js';
import { ProviderNotConfiguredError } from '../../../errors/catalog.js';
import { endpoint, type Endpoint } from '../../endpoint.js';
import type { EndpointTools } from '../../endpoint-tools.js';
import { pageOf, pageQuery } from '../../page-query.js';
import { actingAs } from './api-keys.js';
import { roleText } from './org-members.js';

export function orgInviteEndpoints({ service, z, answers }: EndpointTools): Endpoint[] {
  return [
    endpoint({
      method: 'get',
      path: '/orgs/:id/invites',
      access: 'session',
      summary: 'Lists the invites that are neither accepted nor expired, oldest first. For admins',
      query: pageQuery(z),
      answer: answers.invites,
      errors: ['not_authorized'],
      handle: async ({ req, me, param }) =>
        service.orgs.listInvites(param('id'), { actingUserId: me.id }, pageOf(req)),
    }),
    endpoint({
      method: 'post',
      path: '/orgs/:id/invites',
      // A member who joins stays: a forgotten session or an impersonating administrator must not invite.
      access: 'fresh',
      summary: 'Mails an invite. For admins',
      body: z.object({ email: z.string(), role: roleText(z).optional() }),
      answer: answers.invite,
      errors: ['email_unverified', 'org_error', 'rate_limit_exceeded', 'email_send_failed'],
      needs() {
        // Only the mailbox may learn the token: without a mail there is no way to it.
        if (!service.orgs.mailsInvites) throw new ProviderNotConfiguredError('orgs.inviteUrl');
      },
      async handle({ me, session, body: { email, role }, context, param }) {
        const inviter = { invitedByUserId: me.id, epoch: session.user.epoch };
        const wanted = { email, ...(role !== undefined && { role: role as OrgRole }) };
        const { invite } = await service.orgs.invite({ orgId: param('id'), ...wanted, ...inviter }, context);
        return { invite };
      },
    }),
    endpoint({
      method: 'delete',
      path: '/orgs/:id/invites/:inviteId',
      access: 'fresh',
      summary: 'Revokes an invite. One that is unknown, accepted or revoked already is ignored. For admins',
      answer: answers.ok,
      async handle(call) {
        await service.orgs.revokeInvite(call.param('id'), call.param('inviteId'), actingAs(call));
        return { ok: true };
      },
    }),
    endpoint({
      // A POST, so that the token is in no log of addresses.
      method: 'post',
      path: '/orgs/invites/preview',
      access: 'open',
      summary: 'Returns the organization, the role and the masked addresses of an invite, by its token',
      body: z.object({ token: z.string() }),
      answer: answers.invitePreview,
      errors: ['token_invalid', 'rate_limit_exceeded'],
      handle: async ({ body, context }) => service.orgs.previewInvite(body.token, context),
    }),
    endpoint({
      method: 'post',
      path: '/orgs/invites/accept',
      access: 'own',
      summary: 'Accepts an invite that was mailed to your address',
      body: z.object({ token: z.string() }),
      answer: answers.membership,
      handle: async ({ me, body }) => ({ membership: await service.orgs.acceptInvite(body.token, me.id) }),
    }),
  ];
}
