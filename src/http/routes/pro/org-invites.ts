/** GET and POST /orgs/:id/invites, DELETE /orgs/:id/invites/:inviteId, POST /orgs/invites/accept */
import type { OrgRole } from '../../../domain/org.js';
import { ProviderNotConfiguredError } from '../../../errors/catalog.js';
import { endpoint, type Endpoint } from '../../endpoint.js';
import type { EndpointTools } from '../../endpoint-tools.js';
import { orgOf } from './org-access.js';
import { roleText } from './org-members.js';

export function orgInviteEndpoints({ service, z, answers }: EndpointTools): Endpoint[] {
  return [
    endpoint({
      method: 'get',
      path: '/orgs/:id/invites',
      access: 'session',
      summary: 'The invites that are neither accepted nor expired, oldest first. For admins',
      answer: answers.invites,
      errors: ['not_authorized'],
      async handle({ me, param }) {
        const { id } = await orgOf(service, me.id, param('id'), 'admin');
        return { invites: await service.orgs.listInvites(id, { actingUserId: me.id }) };
      },
    }),
    endpoint({
      method: 'post',
      path: '/orgs/:id/invites',
      // Whoever is let in stays in: what a forgotten session or an administrator in disguise must not do.
      access: 'fresh',
      summary: 'Mails an invite. For admins',
      body: z.object({ email: z.string(), role: roleText(z).optional() }),
      answer: answers.invite,
      errors: ['org_error', 'rate_limit_exceeded', 'email_send_failed'],
      async handle({ me, body: { email, role }, context, param }) {
        const { orgs } = service;
        // The token is for the mailbox alone, so without a mail there is no way to it.
        if (!orgs.mailsInvites) throw new ProviderNotConfiguredError('orgs.inviteUrl');
        const { id } = await orgOf(service, me.id, param('id'), 'admin');
        const { invite } = await orgs.invite(
          { orgId: id, email, ...(role !== undefined && { role: role as OrgRole }), invitedByUserId: me.id },
          context,
        );
        return { invite };
      },
    }),
    endpoint({
      method: 'delete',
      path: '/orgs/:id/invites/:inviteId',
      access: 'fresh',
      summary: 'Withdraws an invite. One that is gone, accepted or another’s is no error. For admins',
      answer: answers.ok,
      async handle({ me, param }) {
        const { id } = await orgOf(service, me.id, param('id'), 'admin');
        await service.orgs.revokeInvite(id, param('inviteId'), { actingUserId: me.id });
        return { ok: true };
      },
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
