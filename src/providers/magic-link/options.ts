/** The options of the magic link, and the inputs of its methods. */
import * as z from 'zod';
import { magicLinkTemplate } from '../../core/mail/email-templates.js';
import type { MagicLinkTemplate } from '../../core/mail/senders/email-sender.js';
import { challengeSolutionInput, metadataInput } from '../../core/support/input-types.js';
import { senderOption } from '../../core/mail/sender-option.js';
import { absoluteUrl, durationMs, fromOption, functionOption } from '../../core/support/option-types.js';
import { lazily } from '../../runtime/load.js';

export const magicLinkOptions = lazily(() =>
  z
    .strictObject({
      sender: senderOption().describe('Delivers the link.'),
      baseUrl: absoluteUrl().describe(
        "The URL of the link, usually the router's `/magic-link/verify`; the token is added as `token`.",
      ),
      ttlMs: durationMs().default(900_000).describe('Lifetime of a link in milliseconds.'),
      withCode: z
        .boolean()
        .default(false)
        .describe(
          'Whether the mail also contains a code. Whichever of link and code is used first ends the other.',
        ),
      confirmElsewhere: z
        .boolean()
        .default(false)
        .describe(
          'Whether a link signs in at once only in the browser that asked for it, and shows a page with a button in any other, so that mail scanners cannot use it.',
        ),
      template: functionOption<MagicLinkTemplate>()
        .default(() => magicLinkTemplate)
        .meta({
          description:
            'Renders the mail from `{ url, expiresInMinutes, appName }`, and with `withCode` also `code` and `codeExpiresInMinutes`.',
          defaultText: 'the built-in mail',
        }),
      from: fromOption(),
    })
    .meta({
      title: 'Magic link',
      description: 'Sign-in with a link by email: [magic link](providers/magic-link.md).',
    }),
);

export const sendLinkInput = lazily(() =>
  z.object({
    email: z.string(),
    redirectTo: z.string().optional(),
    metadata: metadataInput(),
    challengeSolution: challengeSolutionInput(),
    remember: z.boolean().optional(),
  }),
);

export const verifyLinkCodeInput = lazily(() => z.object({ email: z.string(), code: z.string() }));
export const confirmLinkInput = lazily(() => z.object({ token: z.string() }));
export const openLinkInput = lazily(() =>
  confirmLinkInput().extend({
    browserTokens: z.array(z.string()).optional(),
    confirmed: z.boolean().optional(),
  }),
);
