/** The options of sign-ups and user names. */
import type { ChallengeProvider } from '../core/limits/challenge-options.js';
import type { NoticeTemplate } from '../core/mail/senders/email-sender.js';
import type { SignUpFields } from '../core/sign-ups/sign-up-fields.js';
import type { AllowSignUp } from '../core/sign-ups/sign-up-options.js';

export interface SignUpConfig {
  /**
   * Whether new accounts may be created. If false, only administrators and your own code create users.
   * Default: `true`.
   */
  enabled?: boolean | undefined;
  /**
   * Asked before an account is created, by every method: returns true, false, or `{ metadata, roles }` for
   * the new user. An error, another result, or none within five seconds refuses the account. Must have no
   * side effects, because it may be asked more than once.
   */
  allow?: AllowSignUp | undefined;
  /**
   * Your fields of a new account: a zod object, a Standard Schema, or an object with `safeParse`. No account
   * is created without the required ones, by any method; unknown fields are refused, and the result is stored
   * in the user's metadata.
   */
  fields?: SignUpFields | undefined;
  /**
   * Whether a sign-up with a password returns 409 `email_exists` for an address that has an account. If
   * false, every sign-up is confirmed by a mailed code, and the response is the same for every address.
   * Default: `true`.
   */
  revealExisting?: boolean | undefined;
  /** Refuses new accounts with disposable addresses. */
  disposable?: DisposableAddressConfig | undefined;
  /** A challenge such as a captcha for clients that sign up or request mails often. */
  challenge?: ChallengeConfig | undefined;
  /**
   * Renders the mail to an address that may not sign up, from `{ appName }`. If it fails, the built-in mail
   * is sent. Default: the built-in mail.
   */
  refusedTemplate?: NoticeTemplate | undefined;
}

export interface DisposableAddressConfig {
  /**
   * Whether addresses of disposable domains, and of their subdomains, may not sign up. Existing users with
   * such an address still sign in. Default: `false`.
   */
  refuse?: boolean | undefined;
  /**
   * The domains to refuse, in ASCII and lower case, instead of those of the package
   * `disposable-email-domains-js`.
   */
  list?: string[] | undefined;
  /** Domains that may sign up although they, or a domain above them, are in the list. Default: `[]`. */
  except?: string[] | undefined;
}

export interface ChallengeConfig {
  /**
   * `proof-of-work` makes the browser compute for about a second; it needs the package `altcha-lib` and no
   * other service. Or an object with `create(request)` and `verify(solution, request)`. Default:
   * `proof-of-work`.
   */
  provider?: 'proof-of-work' | ChallengeProvider | undefined;
  /** How many sign-ups and sends a client may make in a window without a challenge. Default: `5`. */
  after?: number | undefined;
  /** Length of that window in milliseconds. Default: `3600000` (1 hour). */
  windowMs?: number | undefined;
  /**
   * Work of one attempt at `proof-of-work`: iterations of PBKDF2. A client needs 256 attempts on average, the
   * server one. Default: `5000`.
   */
  cost?: number | undefined;
  /** How long a `proof-of-work` can be solved, in milliseconds. Default: `600000` (10 minutes). */
  ttlMs?: number | undefined;
}

export interface UsernamesConfig {
  /**
   * Whether users choose user names and sign in with them. Administrators can always set them. Default:
   * `false`.
   */
  enabled?: boolean | undefined;
  /**
   * Whether a sign-up with a password and a user name may omit the address. No mail can reset the
   * password of such an account. Requires `enabled`. Default: `false`.
   */
  signUpWithoutEmail?: boolean | undefined;
  /** What a user name must match, in addition to the form of user names. */
  pattern?: RegExp | undefined;
  /**
   * Names that no user may have, in addition to the built-in ones, without regard to case, nor names that
   * look like them. Default: `[]`.
   */
  reserved?: string[] | undefined;
  /** How often users change their own user names. */
  changes?: UsernameChangesConfig | undefined;
}

export interface UsernameChangesConfig {
  /** Maximum changes by a user in a window. Default: `3`. */
  max?: number | undefined;
  /** Length of the window in milliseconds. Default: `2592000000` (30 days). */
  windowMs?: number | undefined;
}

export interface ProfilesConfig {
  /** Whether users change their own names and pictures. Administrators always can. Default: `true`. */
  editable?: boolean | undefined;
  /**
   * The sources of pictures: the beginnings of https URLs (`https://lh3.googleusercontent.com/`) and of
   * paths (`/avatars/`). The pages show no other picture. Default: `[]`.
   */
  pictures?: string[] | undefined;
}
