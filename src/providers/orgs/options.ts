/** The options of organizations, and the tools that they need. */
import { orgInviteTemplate } from '../../kit/email-templates.js';
import { isSafeUrl } from '../../kit/link-targets.js';
import { absoluteUrl, functionOption, orTrue, senderOption } from '../../kit/option-types.js';
import type { OrgInviteTemplate } from '../../kit/senders/email-sender.js';
import type { Toolkit } from '../../kit/toolkit.js';
import type { Zod } from '../../runtime/load.js';

export const orgsOptions = (z: Zod) =>
  orTrue(
    z,
    z.strictObject({
      /** Delivers invites; with `inviteUrl` they are mailed. */
      sender: senderOption(z).optional(),
      /** Your page that reads `token` and has the signed-in user accept. */
      inviteUrl: absoluteUrl(z, isSafeUrl).optional(),
      /** Makes the mail from `{ url, expiresInMinutes, appName, organization, role, inviter }`. */
      template: functionOption<OrgInviteTemplate>(z).default(() => orgInviteTemplate),
      /** Whether users with an unverified address may create organizations, invite and add members. They are not removed when the account is reclaimed. */
      allowUnverified: z.boolean().default(false),
    }),
  );

export type OrgsOptions = ReturnType<ReturnType<typeof orgsOptions>['parse']>;

export type OrgTools = Pick<
  Toolkit,
  'clock' | 'events' | 'keys' | 'limiter' | 'limits' | 'mailer' | 'sessions' | 'storage'
>;
