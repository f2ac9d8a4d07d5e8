/** The options of the methods that prove an address or a password. */
import type {
  CodeTemplate,
  EmailSender,
  LinkTemplate,
  MagicLinkTemplate,
  EventTemplate,
  ResetCodeTemplate,
} from '../core/mail/senders/email-sender.js';
import type { FindLegacyUser } from '../core/imports/legacy-users.js';
import type { PasswordHasher } from '../core/passwords/password-hasher.js';

export interface EmailCodeConfig {
  /** Delivers the code. */
  sender: EmailSender;
  /** Overrides the sender's From. */
  from?: string | undefined;
  /** Renders the mail from `{ code, expiresInMinutes, appName }`. Default: the built-in mail. */
  template?: CodeTemplate | undefined;
}

export interface MagicLinkConfig {
  /** Delivers the link. */
  sender: EmailSender;
  /** The URL of the link, usually the router's `/magic-link/verify`; the token is added as `token`. */
  baseUrl: string | undefined;
  /** Lifetime of a link in milliseconds. Default: `900000` (15 minutes). */
  ttlMs?: number | undefined;
  /**
   * Whether the mail also contains a code. Whichever of link and code is used first ends the other. Default:
   * `false`.
   */
  withCode?: boolean | undefined;
  /**
   * Whether a link signs in at once only in the browser that asked for it, and shows a page with a button in
   * any other, so that mail scanners cannot use it. Default: `false`.
   */
  confirmElsewhere?: boolean | undefined;
  /**
   * Renders the mail from `{ url, expiresInMinutes, appName }`, and with `withCode` also `code` and
   * `codeExpiresInMinutes`. Default: the built-in mail.
   */
  template?: MagicLinkTemplate | undefined;
  /** Overrides the sender's From. */
  from?: string | undefined;
}

export interface EmailPasswordConfig {
  /** Delivers the mails of this provider: resets, verifications and notices. */
  sender: EmailSender;
  /**
   * Your page that reads `token` from a reset link and posts it. Required only for password resets by link.
   */
  resetUrl?: string | undefined;
  /**
   * Whether a reset mail contains a link, a code that the user enters on your page, or both. Default: `link`.
   */
  reset?: 'code' | 'link' | 'both' | undefined;
  /** Minimum password length in code points. Default: `8`. */
  minLength?: number | undefined;
  /**
   * Replaces bcrypt with cost 10: `bcryptHasher({ cost })`, `argon2idHasher()`, or your own. Default:
   * `bcryptHasher()`.
   */
  hasher?: PasswordHasher | undefined;
  /**
   * Returns the user of another system, or null: users who are imported when they are first needed. It is asked
   * at every login, whether or not there is an account, for addresses without one, and for the users of `acceptSessionsFrom`.
   */
  legacy?: FindLegacyUser | undefined;
  /**
   * Refuses the most common passwords, and those made of the address, the user name or `appName`. `{ file }`
   * also refuses the passwords of a filter that you build; false accepts them all. Default: `true`.
   */
  commonPasswords?: boolean | CommonPasswordsConfig | undefined;
  /**
   * Asks a service whether a new password was leaked: `true`, or an object. The service gets five hexadecimal
   * digits of its SHA-1 digest. If it does not respond, the password is accepted. Default: `false`.
   */
  breachedPasswords?: boolean | BreachedPasswordsConfig | undefined;
  /**
   * Renders the password reset mail from `{ url, expiresInMinutes, appName }`. Default: the built-in mail.
   */
  resetTemplate?: LinkTemplate | undefined;
  /**
   * Renders the mail of a reset by code from `{ code, url, expiresInMinutes, appName }`. `url` is absent
   * without a link. Default: the built-in mail.
   */
  resetCodeTemplate?: ResetCodeTemplate | undefined;
  /**
   * If set, a notice is mailed after every password reset and every password change: `true` for the built-in
   * mail, or a function that renders it from `{ appName, event }`.
   */
  notifyTemplate?: true | EventTemplate | undefined;
  /**
   * Accepts a new password by returning true. Refuses it by returning false or 'breached' (found in a list of
   * breached passwords), or 'containsEmail'.
   */
  checkPassword?:
    | ((
        password: string,
        context: { email: string | null },
      ) => boolean | 'breached' | 'containsEmail' | Promise<boolean | 'breached' | 'containsEmail'>)
    | undefined;
  /**
   * `send` mails a code after a sign-up, with which the user verifies the address. `require` also makes
   * `requireSession` refuse users with an unverified address: 403 `email_unverified`. Default: `off`.
   */
  verifyEmail?: 'send' | 'off' | 'require' | undefined;
  /**
   * With `verifyEmail: "require"`: how long after its creation an account may be used with an unverified
   * address, in milliseconds. Default: `0` (0 days).
   */
  verifyGraceMs?: number | undefined;
  /**
   * Renders the mail that verifies an address, from `{ code, expiresInMinutes, appName }`. Default: the
   * built-in mail.
   */
  verificationTemplate?: CodeTemplate | undefined;
  /**
   * With `signUp.revealExisting: false`: renders the mail to the owner of an address with which someone has
   * signed up, from `{ code, expiresInMinutes, appName }`. The code signs the owner in. If it fails, the
   * built-in mail is sent. Default: the built-in mail.
   */
  existingAccountTemplate?: CodeTemplate | undefined;
  /** Overrides the sender's From. */
  from?: string | undefined;
}

export interface CommonPasswordsConfig {
  /** A filter, which is asked in addition to the list of the package. */
  file: string;
}

export interface BreachedPasswordsConfig {
  /**
   * The range service. The five digits are appended to it. Default: `https://api.pwnedpasswords.com/range/`.
   */
  url?: string | undefined;
  /**
   * After this time a password is accepted without the check, in milliseconds. Default: `1500` (1.5 seconds).
   */
  timeoutMs?: number | undefined;
}
