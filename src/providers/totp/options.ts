/** The options of the second factor: `true` enables the authenticator app with recovery codes, and nothing else. */
import * as z from 'zod';
import { recoveryCodesLowTemplate, secondFactorTemplate } from '../../core/mail/email-templates.js';
import type { CodeTemplate, EventTemplate } from '../../core/mail/senders/email-sender.js';
import { senderOption } from '../../core/mail/sender-option.js';
import { fromOption, functionOption, orTrue } from '../../core/support/option-types.js';
import type { Toolkit } from '../../core/toolkit.js';
import { lazily } from '../../runtime/load.js';

const trustedBrowsersOptions = lazily(() =>
  z.strictObject({
    days: z
      .number()
      .int()
      .min(1)
      .max(365)
      .default(30)
      .describe('For how many days a trusted browser needs no second factor: 1 to 365.'),
  }),
);

export const totpOptions = lazily(() =>
  orTrue(
    z
      .strictObject({
        sender: senderOption()
          .optional()
          .describe(
            'Delivers codes by email, and a notice to users who have two recovery codes left. Required with `email`.',
          ),
        from: fromOption(),
        email: z
          .boolean()
          .default(false)
          .describe(
            'Whether users may choose a code by email for the second step, in addition to their app: [second factor](providers/totp.md#a-code-by-email).',
          ),
        emailTemplate: functionOption<CodeTemplate>()
          .default(() => secondFactorTemplate)
          .meta({
            description: 'Renders the mail with the code, from `{ code, expiresInMinutes, appName }`.',
            defaultText: 'the built-in mail',
          }),
        recoveryCodesTemplate: functionOption<EventTemplate>()
          .default(() => recoveryCodesLowTemplate)
          .meta({
            description: 'Renders the notice that two recovery codes are left, from `{ appName, event }`.',
            defaultText: 'the built-in mail',
          }),
        trustedBrowsers: orTrue(trustedBrowsersOptions())
          .optional()
          .describe(
            'Lets users skip the second step in browsers that they trust: [trusted browsers](providers/totp.md#trusted-browsers). Off by default.',
          ),
      })
      .refine(({ email, sender }) => !email || sender !== undefined, {
        path: ['sender'],
        message: 'must be a sender: `email` sends codes with it',
      }),
  ).meta({
    title: 'Two factors',
    description: 'A second factor by an authenticator app: [two factors](providers/totp.md).',
  }),
);

export type TotpOptions = z.output<ReturnType<typeof totpOptions>>;

export type TotpTools = Pick<
  Toolkit,
  | 'clock'
  | 'encryptionKeys'
  | 'events'
  | 'limiter'
  | 'logger'
  | 'mailer'
  | 'accountNotices'
  | 'notices'
  | 'secondFactor'
  | 'sessions'
  | 'signIn'
  | 'storage'
>;
