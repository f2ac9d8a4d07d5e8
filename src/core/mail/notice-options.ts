/** The option `notices`: mails about changes of an account and about sign-ins from new devices. */
import * as z from 'zod';
import { lazily } from '../../runtime/load.js';
import { absoluteUrl, fromOption, functionOption } from '../support/option-types.js';
import { accountNoticeTemplate } from './security-notices.js';
import { senderOption } from './sender-option.js';
import type { AccountNoticeTemplate } from './senders/email-sender.js';

export const noticesOptions = lazily(() =>
  z.strictObject({
    sender: senderOption().describe('Delivers the notices.'),
    baseUrl: absoluteUrl().describe(
      "The URL of the link “This wasn't me”, usually the router's `/not-me`; the token is added as `token`.",
    ),
    credentials: z
      .boolean()
      .default(true)
      .describe(
        'Whether users get a mail when a password, passkey, second factor, identity, phone number, user name, address, API key or trusted browser of their account changes.',
      ),
    newDevice: z
      .boolean()
      .default(true)
      .describe('Whether users get a mail about a sign-in from a device that their account has not used.'),
    template: functionOption<AccountNoticeTemplate>()
      .default(() => accountNoticeTemplate)
      .meta({
        description:
          'Renders the mail from `{ change, about, event, appName }`. `event.notMeUrl` is the link.',
        defaultText: 'the built-in mail',
      }),
    from: fromOption(),
  }),
);

export type NoticesOptions = z.output<ReturnType<typeof noticesOptions>>;
