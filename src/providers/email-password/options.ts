/** The options of the password provider, and its tools. */
import { passwordResetTemplate } from '../../kit/email-templates.js';
import { absoluteUrl, from, functionOption, hasMethod, senderOption } from '../../kit/option-types.js';
import { bcryptHasher, type PasswordHasher } from '../../kit/password-hasher.js';
import type { PasswordPolicy } from '../../kit/password-policy.js';
import type { LinkTemplate, NoticeTemplate } from '../../kit/senders/email-sender.js';
import type { Toolkit } from '../../kit/toolkit.js';
import type { Zod } from '../../runtime/load.js';

export const emailPasswordOptions = (z: Zod) =>
  z.strictObject({
    /** Delivers the reset mail. */
    sender: senderOption(z),
    /** Where reset links point: your page that reads `token` and posts it. Needed for the reset flow only. */
    resetUrl: absoluteUrl(z).optional(),
    /** Minimum password length in code points. */
    minLength: z.number().int().min(1).max(256).default(8),
    /** Replaces bcrypt of cost 10. */
    hasher: z
      .custom<PasswordHasher>(
        (value) => hasMethod(value, 'hash') && hasMethod(value, 'verify'),
        'must be an object with hash(plain) and verify(plain, hash)',
      )
      .default(() => bcryptHasher()),
    /** Makes the reset mail from `{ url, expiresInMinutes, appName }`. */
    resetTemplate: functionOption<LinkTemplate>(z).default(() => passwordResetTemplate),
    /** When set, mails a notice after every reset and every change, made from `{ appName }`. */
    notifyTemplate: functionOption<NoticeTemplate>(z).optional(),
    /** Accepts a new password by returning true; refuses it by false or 'breached' (a list of breached ones), or 'containsEmail'. */
    checkPassword: functionOption<NonNullable<PasswordPolicy['checkPassword']>>(z).optional(),
    /** Overrides the sender's From. */
    from: from(z),
  });

export type EmailPasswordOptions = ReturnType<ReturnType<typeof emailPasswordOptions>['parse']>;

export type EmailPasswordTools = Pick<
  Toolkit,
  | 'accountLimits'
  | 'background'
  | 'clock'
  | 'events'
  | 'guestUpgrades'
  | 'limiter'
  | 'limits'
  | 'linkTargets'
  | 'logger'
  | 'mailboxProof'
  | 'mailedTokens'
  | 'mailer'
  | 'signIn'
  | 'storage'
>;
