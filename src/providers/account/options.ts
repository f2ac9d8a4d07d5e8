/** The options of the account provider, and the inputs of its methods. */
import * as z from 'zod';
import {
  addressChangedTemplate,
  addressInUseTemplate,
  leavingAddressTemplate,
  newAddressTemplate,
  verificationTemplate,
} from '../../core/mail/email-templates.js';
import { userIdInput } from '../../core/support/input-types.js';
import { senderOption } from '../../core/mail/sender-option.js';
import { fromOption, functionOption, orTrue } from '../../core/support/option-types.js';
import type { CodeTemplate, EventTemplate, NoticeTemplate } from '../../core/mail/senders/email-sender.js';
import { lazily } from '../../runtime/load.js';

const builtIn = 'the built-in mail';

export const accountOptions = lazily(() =>
  orTrue(
    z.strictObject({
      sender: senderOption()
        .optional()
        .describe('Delivers codes for addresses of accounts. Required only to verify or change an address.'),
      from: fromOption(),
      verificationTemplate: functionOption<CodeTemplate>()
        .default(() => verificationTemplate)
        .meta({
          description:
            'Renders the mail that verifies an address, from `{ code, expiresInMinutes, appName }`.',
          defaultText: builtIn,
        }),
      newAddressTemplate: functionOption<CodeTemplate>()
        .default(() => newAddressTemplate)
        .meta({
          description:
            'Renders the mail to the new address when an address is changed, from `{ code, expiresInMinutes, appName }`.',
          defaultText: builtIn,
        }),
      leavingAddressTemplate: functionOption<CodeTemplate>()
        .default(() => leavingAddressTemplate)
        .meta({
          description:
            'Renders the mail to the current address when an address is changed, from `{ code, expiresInMinutes, appName }`. It says what to do if the user did not request the change.',
          defaultText: builtIn,
        }),
      addressInUseTemplate: functionOption<NoticeTemplate>()
        .default(() => addressInUseTemplate)
        .meta({
          description:
            'Renders the mail to a new address that already has an account, from `{ appName }`. It contains no code.',
          defaultText: builtIn,
        }),
      addressChangedTemplate: functionOption<EventTemplate>()
        .default(() => addressChangedTemplate)
        .meta({
          description:
            'Renders the notice to the previous address after a change, from `{ appName, event }`.',
          defaultText: builtIn,
        }),
    }),
  ).meta({
    title: 'Account',
    description: 'Addresses, export and deletion of accounts: [accounts](providers/account.md).',
  }),
);

export const verifyEmailInput = lazily(() => z.object({ userId: userIdInput(), code: z.string() }));
export const changeEmailInput = lazily(() => z.object({ userId: userIdInput(), email: z.string() }));
export const confirmEmailInput = lazily(
  () =>
    z.object({
      userId: userIdInput(),
      email: z.string(),
      code: z.string(),
      currentCode: z.string().optional(),
    }) satisfies z.ZodType<EmailChangeInput>,
);

export const setLanguageInput = lazily(() =>
  z.object({ userId: userIdInput(), language: z.string().nullable() }),
);

/** What is left out stays; null removes it. */
export const changeProfileInput = lazily(() =>
  z.object({
    userId: userIdInput(),
    name: z.string().nullable().optional(),
    picture: z.string().nullable().optional(),
  }),
);

/** The codes of an address change. */
export interface EmailChangeInput {
  userId: string;
  /** The new address. */
  email: string;
  /** The code that was mailed to the new address. */
  code: string;
  /** The code that was mailed to the current address. Required if that is verified. */
  currentCode?: string | undefined;
}
export type AccountOptions = z.output<ReturnType<typeof accountOptions>>;
