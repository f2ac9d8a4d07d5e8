/** The options of the password provider, the inputs of its methods, and its tools. */
import * as z from 'zod';
import {
  challengeSolutionInput,
  fieldsInput,
  metadataInput,
  userIdInput,
} from '../../core/support/input-types.js';
import {
  existingAccountTemplate,
  passwordResetTemplate,
  resetCodeTemplate,
  verificationTemplate,
} from '../../core/mail/email-templates.js';
import { hasMethod } from '../../core/support/has-method.js';
import { senderOption } from '../../core/mail/sender-option.js';
import { absoluteUrl, fromOption, functionOption, orTrue } from '../../core/support/option-types.js';
import { bcryptHasher } from '../../core/passwords/bcrypt-hasher.js';
import type { PasswordHasher } from '../../core/passwords/password-hasher.js';
import { breachedPasswordsOptions } from '../../core/passwords/breached-passwords.js';
import type { FindLegacyUser } from '../../core/imports/legacy-users.js';
import { commonPasswordsOption } from '../../core/passwords/password-rules.js';
import type { PasswordPolicy } from '../../core/passwords/password-policy.js';
import type {
  CodeTemplate,
  LinkTemplate,
  EventTemplate,
  ResetCodeTemplate,
} from '../../core/mail/senders/email-sender.js';
import type { Toolkit } from '../../core/toolkit.js';
import { lazily } from '../../runtime/load.js';

export const emailPasswordOptions = lazily(() =>
  z
    .strictObject({
      sender: senderOption().describe(
        'Delivers the mails of this provider: resets, verifications and notices.',
      ),
      resetUrl: absoluteUrl()
        .optional()
        .describe(
          'Your page that reads `token` from a reset link and posts it. Required only for password resets by link.',
        ),
      reset: z
        .enum(['link', 'code', 'both'])
        .default('link')
        .describe(
          'Whether a reset mail contains a link, a code that the user enters on your page, or both: [reset by code](providers/email-password.md#reset-by-code).',
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
        .meta({
          description:
            'Replaces bcrypt with cost 10: `bcryptHasher({ cost })`, `argon2idHasher()`, or your own.',
          defaultText: '`bcryptHasher()`',
        }),
      commonPasswords: commonPasswordsOption
        .default(true)
        .describe(
          'Refuses the most common passwords, and those made of the address, the user name or `appName`. `{ file }` also refuses the passwords of a [filter that you build](providers/email-password.md#common-and-breached-passwords); false accepts them all.',
        ),
      breachedPasswords: z
        .union([z.literal(false), orTrue(breachedPasswordsOptions)])
        .default(false)
        .describe(
          'Asks a service whether a new password was leaked: `true`, or an object. The service gets five hexadecimal digits of its SHA-1 digest. If it does not respond, the password is accepted.',
        ),
      legacy: functionOption<FindLegacyUser>()
        .optional()
        .describe(
          'Returns the user of another system, or null: [users who are imported when they are first needed](import.md#import-at-first-need). It is asked at every login, whether or not there is an account, for addresses without one, and for the users of `acceptSessionsFrom`.',
        ),
      resetTemplate: functionOption<LinkTemplate>()
        .default(() => passwordResetTemplate)
        .meta({
          description: 'Renders the password reset mail from `{ url, expiresInMinutes, appName }`.',
          defaultText: 'the built-in mail',
        }),
      resetCodeTemplate: functionOption<ResetCodeTemplate>()
        .default(() => resetCodeTemplate)
        .meta({
          description:
            'Renders the mail of a reset by code from `{ code, url, expiresInMinutes, appName }`. `url` is absent without a link.',
          defaultText: 'the built-in mail',
        }),
      notifyTemplate: z
        .union([z.literal(true), functionOption<EventTemplate>()])
        .optional()
        .describe(
          'If set, a notice is mailed after every password reset and every password change: `true` for the built-in mail, or a function that renders it from `{ appName, event }`.',
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
          description:
            'Renders the mail that verifies an address, from `{ code, expiresInMinutes, appName }`.',
          defaultText: 'the built-in mail',
        }),
      existingAccountTemplate: functionOption<CodeTemplate>()
        .default(() => existingAccountTemplate)
        .meta({
          description:
            'With `signUp.revealExisting: false`: renders the mail to the owner of an address with which someone has signed up, from `{ code, expiresInMinutes, appName }`. The code signs the owner in. If it fails, the built-in mail is sent.',
          defaultText: 'the built-in mail',
        }),
      from: fromOption(),
    })
    .meta({
      title: 'Email and password',
      description: 'Sign-in with a password: [email and password](providers/email-password.md).',
    }),
);

const credentials = lazily(() => z.object({ email: z.string(), password: z.string() }));

/** Either the address or, with `usernames.enabled`, the user name. */
export const loginInput = lazily(() =>
  credentials().extend({
    email: z.string().optional(),
    username: z.string().optional(),
    /** The mailed code, after an error with the reason `code_required`. */
    code: z.string().optional(),
  }),
);
export const signupInput = lazily(() =>
  credentials().extend({
    /** Optional with a user name and `usernames.signUpWithoutEmail`. */
    email: z.string().optional(),
    metadata: metadataInput(),
    username: z.string().optional(),
    fields: fieldsInput(),
    /** The token of an invite to an organization: it admits its address although sign-up is closed. */
    inviteToken: z.string().max(4_096).optional(),
    challengeSolution: challengeSolutionInput(),
  }),
);
export const resendSignUpInput = lazily(() => z.object({ token: z.string() }));
export const finishSignUpInput = lazily(() => resendSignUpInput().extend({ code: z.string() }));
export const upgradeWithPasswordInput = lazily(() =>
  credentials().extend({
    userId: userIdInput(),
    fields: fieldsInput(),
    challengeSolution: challengeSolutionInput(),
  }),
);
export const requestResetInput = lazily(() =>
  z.object({ email: z.string(), redirectTo: z.string().optional() }),
);
/** Either the token of a link, or the address and the code that was mailed to it. */
export const setPasswordInput = lazily(() =>
  z.object({
    token: z.string().optional(),
    email: z.string().optional(),
    code: z.string().optional(),
    newPassword: z.string(),
    revokeCredentials: z.boolean().optional(),
  }),
);
export const verifyEmailInput = lazily(() => z.object({ userId: userIdInput(), code: z.string() }));
export const changePasswordInput = lazily(
  () =>
    z.object({
      userId: userIdInput(),
      currentPassword: z.string().optional(),
      newPassword: z.string(),
    }) satisfies z.ZodType<PasswordChangeInput>,
);

/** A password change by its user. */
export interface PasswordChangeInput {
  userId: string;
  newPassword: string;
  /** Absent if the user has no password. */
  currentPassword?: string | undefined;
}
export type EmailPasswordOptions = z.output<ReturnType<typeof emailPasswordOptions>>;

export type EmailPasswordTools = Pick<
  Toolkit,
  | 'accountLimits'
  | 'addressVerification'
  | 'background'
  | 'challenges'
  | 'clock'
  | 'codeMailer'
  | 'codes'
  | 'changes'
  | 'events'
  | 'guestUpgrades'
  | 'keys'
  | 'legacyUsers'
  | 'limiter'
  | 'limits'
  | 'linkTargets'
  | 'logger'
  | 'mailboxProof'
  | 'mailedTokens'
  | 'mailer'
  | 'accountNotices'
  | 'notices'
  | 'notMeLinks'
  | 'newPasswords'
  | 'signIn'
  | 'signUpPolicy'
  | 'storage'
  | 'telemetry'
  | 'trustedBrowsers'
  | 'usernameOwners'
  | 'usernames'
>;
