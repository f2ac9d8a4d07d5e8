/** The options of organizations, and the tools that the provider uses. */
import * as z from 'zod';
import { isUserRole } from '../../domain/user-roles.js';
import { orgInviteTemplate } from '../../core/mail/email-templates.js';
import { senderOption } from '../../core/mail/sender-option.js';
import { safeUrl, functionOption, orTrue } from '../../core/support/option-types.js';
import type { OrgInviteTemplate } from '../../core/mail/senders/email-sender.js';
import type { Toolkit } from '../../core/toolkit.js';
import { lazily } from '../../runtime/load.js';

const roleOption = lazily(() =>
  z.string().refine((role) => isUserRole(role), 'must be a role, such as admin'),
);

export const orgsOptions = lazily(() =>
  orTrue(
    z.strictObject({
      sender: senderOption()
        .optional()
        .describe('Delivers invites. They are mailed if `inviteUrl` is also set.'),
      inviteUrl: safeUrl()
        .optional()
        .describe('Your page that reads `token` and lets the signed-in user accept the invite.'),
      template: functionOption<OrgInviteTemplate>()
        .default(() => orgInviteTemplate)
        .meta({
          description:
            'Renders the mail from `{ url, expiresInMinutes, appName, organization, role, inviter }`.',
          defaultText: 'the built-in mail',
        }),
      create: z
        .union([z.boolean(), z.literal('roles'), z.array(roleOption()).min(1)])
        .default(true)
        .describe(
          "Which users may create organizations: `true` for all, `'roles'` for users with any role in your application, a list such as `['admin']` for users with one of these roles, `false` for none. Your own code, without an acting user, always may.",
        ),
      allowUnverified: z
        .boolean()
        .default(false)
        .describe(
          'Whether users with an unverified address may create organizations, invite and add members. They are not removed when the account is reclaimed.',
        ),
    }),
  ).meta({
    title: 'Organizations',
    description: 'Organizations, roles and invites: [organizations](providers/orgs.md).',
  }),
);

export type OrgsOptions = z.output<ReturnType<typeof orgsOptions>>;

export type OrgTools = Pick<
  Toolkit,
  'changes' | 'clock' | 'keys' | 'limiter' | 'limits' | 'mailer' | 'profiles' | 'sessions' | 'storage'
>;
