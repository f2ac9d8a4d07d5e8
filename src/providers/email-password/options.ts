/** The options of the password provider, the inputs of its methods, and its tools. */
import * as z from 'zod';
import { metadataInput, userIdInput } from '../../core/support/input-types.js';
import { passwordResetTemplate, verificationTemplate } from '../../core/mail/email-templates.js';
import {
  absoluteUrl,
  fromOption,
  functionOption,
  hasMethod,
  senderOption,
} from '../../core/support/option-types.js';
import { bcryptHasher, type PasswordHasher } from '../../core/support/password-hasher.js';
import type { PasswordPolicy } from '../../core/support/password-policy.js';
import type { CodeTemplate, LinkTemplate, NoticeTemplate } from '../../core/mail/senders/email-sender.js';
import type { Toolkit } from '../../core/toolkit.js';
import { lazily } from '../../runtime/load.js';

export const emailPasswordOptions = z
  .strictObject({
    sender: senderOption().describe(
      'Delivers the mails of this provider: resets, verifications and notices.',
    ),
    resetUrl: absoluteUrl()
      .optional()
      .describe(
        'Your page that reads `token` from a reset link and posts it. Required only for password resets.',
      ),
    minLength: z
      .number()
      .int()
      .min(1)
      .max(256)
      .default(8)
      .describe('Minimum password length in code points.'),
    hasher: z
      .custom<PasswordHasher>(
        (value) => hasMethod(value, 'hash') && hasMethod(value, 'verify'),
        'must be an object with hash(plain) and verify(plain, hash)',
      )
      .default(() => bcryptHasher())
      .meta({ description: 'Replaces bcrypt with cost 10.', defaultText: '`bcryptHasher()`' }),
    resetTemplate: functionOption<LinkTemplate>()
      .default(() => passwordResetTemplate)
      .meta({
        description: 'Renders the password reset mail from `{ url, expiresInMinutes, appName }`.',
        defaultText: 'the built-in mail',
      }),
    notifyTemplate: functionOption<NoticeTemplate>()
      .optional()
      .describe(
        'If set, a notice is mailed after every password reset and every password change, rendered from `{ appName }`.',
      ),
    checkPassword: functionOption<NonNullable<PasswordPolicy['checkPassword']>>()
      .optional()
      .describe(
        "Accepts a new password by returning true. Refuses it by returning false or 'breached' (found in a list of breached passwords), or 'containsEmail'.",
      ),
    verifyEmail: z
      .enum(['off', 'send', 'require'])
      .default('off')
      .describe(
        '`send` mails a code after a sign-up, with which the user verifies the address. `require` also makes `requireSession` refuse users with an unverified address: 403 `email_unverified`.',
      ),
    verifyGraceMs: z
      .number()
      .int()
      .nonnegative()
      .default(0)
      .describe(
        'With `verifyEmail: "require"`: how long after its creation an account may be used with an unverified address, in milliseconds.',
      ),
    verificationTemplate: functionOption<CodeTemplate>()
      .default(() => verificationTemplate)
      .meta({
        description: 'Renders the mail that verifies an address, from `{ code, expiresInMinutes, appName }`.',
        defaultText: 'the built-in mail',
      }),
    from: fromOption(),
  })
  .meta({
    title: 'Email and password',
    description: 'Sign-in with a password: [email and password](providers/email-password.md).',
  });

const credentials = lazily(() => z.object({ email: z.string(), password: z.string() }));

/** Either the address or, with `usernames.enabled`, the user name. */
export const loginInput = lazily(() =>
  credentials().extend({
    email: z.string().optional(),
    username: z.string().optional(),
  }),
);
export const signupInput = lazily(() =>
  credentials().extend({
    metadata: metadataInput(),
    username: z.string().optional(),
    /** The application's own fields: `signUp.fields` of the configuration. */
    fields: z.record(z.string(), z.unknown()).optional(),
  }),
);
export const upgradeWithPasswordInput = lazily(() => credentials().extend({ userId: userIdInput() }));
export const requestResetInput = lazily(() =>
  z.object({ email: z.string(), redirectTo: z.string().optional() }),
);
export const setPasswordInput = lazily(() =>
  z.object({
    token: z.string(),
    newPassword: z.string(),
    revokeCredentials: z.boolean().optional(),
  }),
);
export const verifyEmailInput = lazily(() => z.object({ userId: userIdInput(), code: z.string() }));
export const changePasswordInput = lazily(() =>
  z.object({
    userId: userIdInput(),
    /** Absent if the user has no password. */
    currentPassword: z.string().optional(),
    newPassword: z.string(),
  }),
);

export type PasswordChangeInput = z.infer<ReturnType<typeof changePasswordInput>>;
export type EmailPasswordOptions = z.output<typeof emailPasswordOptions>;

export type EmailPasswordTools = Pick<
  Toolkit,
  | 'accountLimits'
  | 'addressVerification'
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
  | 'signUpPolicy'
  | 'storage'
  | 'usernames'
>;
