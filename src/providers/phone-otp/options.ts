/** The options of phone numbers, and the inputs of their methods. */
import * as z from 'zod';
import { phoneChangedTemplate, phoneCodeTemplate } from '../../core/mail/email-templates.js';
import type { PhoneNoticeTemplate } from '../../core/mail/senders/email-sender.js';
import type { SmsSender, SmsTemplate } from '../../core/mail/senders/sms-sender.js';
import { challengeSolutionInput, metadataInput, userIdInput } from '../../core/support/input-types.js';
import { hasMethod } from '../../core/support/has-method.js';
import { senderOption } from '../../core/mail/sender-option.js';
import { durationMs, fromOption, functionOption } from '../../core/support/option-types.js';
import type { Toolkit } from '../../core/toolkit.js';
import { lazily } from '../../runtime/load.js';

export const phoneOtpOptions = lazily(() =>
  z
    .strictObject({
      sender: z
        .custom<SmsSender>(
          (value) => hasMethod(value, 'send'),
          'must be an SMS sender, an object with send({ to, body }): consoleSmsSender(), for example',
        )
        .describe('Delivers the code.'),
      template: functionOption<SmsTemplate>()
        .default(() => phoneCodeTemplate)
        .meta({
          description: 'Renders the text message from `{ code, expiresInMinutes, appName }`.',
          defaultText: 'the built-in text message',
        }),
      ttlMs: durationMs()
        .default(5 * 60_000)
        .describe('Lifetime of a code in milliseconds.'),
      allowCountry: functionOption<(iso2: string) => boolean>()
        .optional()
        .describe(
          'Whether a country (ISO 3166-1, two letters) may receive text messages. If absent, all may. Text messages cost money: allow only the countries you serve.',
        ),
      maxPerCountry: z
        .number()
        .int()
        .min(1)
        .default(1000)
        .describe(
          'Maximum sends to one country per `rateLimit.windowMs`: it limits what a flood of made-up numbers can cost.',
        ),
      notices: z
        .strictObject({
          sender: senderOption().describe('Delivers the notices.'),
          from: fromOption(),
          template: functionOption<PhoneNoticeTemplate>()
            .default(() => phoneChangedTemplate)
            .meta({
              description:
                'Renders a notice from `{ change, phone, appName, event }`; `change` is `added` or `removed`, and most digits of `phone` are hidden.',
              defaultText: 'the built-in mails',
            }),
        })
        .optional()
        .describe(
          'Mails users a notice when a number is added to their account or removed from it. Off by default.',
        ),
    })
    .meta({
      title: 'Phone codes',
      description: 'Sign-in with a code by text message: [phone codes](providers/phone-otp.md).',
    }),
);

export const sendPhoneCodeInput = lazily(() =>
  z.object({
    phone: z.string(),
    metadata: metadataInput(),
    challengeSolution: challengeSolutionInput(),
  }),
);
export const verifyPhoneCodeInput = lazily(() => z.object({ phone: z.string(), code: z.string() }));
export const sendPhoneLinkInput = lazily(() => z.object({ userId: userIdInput(), phone: z.string() }));
export const linkPhoneInput = lazily(() => sendPhoneLinkInput().extend({ code: z.string() }));

export type PhoneOtpOptions = z.output<ReturnType<typeof phoneOtpOptions>>;
export type PhoneOtpTools = Pick<
  Toolkit,
  | 'accountLimits'
  | 'challenges'
  | 'clock'
  | 'codes'
  | 'changes'
  | 'events'
  | 'languages'
  | 'limiter'
  | 'limits'
  | 'logger'
  | 'phoneNotices'
  | 'signIn'
  | 'signInMethods'
  | 'signUpPolicy'
  | 'smsMailer'
  | 'storage'
>;
