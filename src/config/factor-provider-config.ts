/** The options of phone numbers, authenticator apps and passkeys. */
import type {
  CodeTemplate,
  EmailSender,
  EventTemplate,
  NoticeTemplate,
  PhoneNoticeTemplate,
} from '../core/mail/senders/email-sender.js';
import type { SmsSender, SmsTemplate } from '../core/mail/senders/sms-sender.js';

export interface PhoneOtpConfig {
  /** Delivers the code. */
  sender: SmsSender;
  /**
   * Renders the text message from `{ code, expiresInMinutes, appName }`. Default: the built-in text message.
   */
  template?: SmsTemplate | undefined;
  /** Lifetime of a code in milliseconds. Default: `300000` (5 minutes). */
  ttlMs?: number | undefined;
  /**
   * Whether a country (ISO 3166-1, two letters) may receive text messages. If absent, all may. Text messages
   * cost money: allow only the countries you serve.
   */
  allowCountry?: ((iso2: string) => boolean) | undefined;
  /**
   * Maximum sends to one country per `rateLimit.windowMs`: it limits what a flood of made-up numbers can
   * cost. Default: `1000`.
   */
  maxPerCountry?: number | undefined;
  /** Mails users a notice when a number is added to their account or removed from it. Off by default. */
  notices?: PhoneNoticesConfig | undefined;
}

export interface PhoneNoticesConfig {
  /** Delivers the notices. */
  sender: EmailSender;
  /** Overrides the sender's From. */
  from?: string | undefined;
  /**
   * Renders a notice from `{ change, phone, appName, event }`; `change` is `added` or `removed`, and most digits of
   * `phone` are hidden. Default: the built-in mails.
   */
  template?: PhoneNoticeTemplate | undefined;
}

export interface TotpConfig {
  /**
   * Delivers codes by email, and a notice to users who have two recovery codes left. Required with `email`.
   */
  sender?: EmailSender | undefined;
  /** Overrides the sender's From. */
  from?: string | undefined;
  /**
   * Whether users may choose a code by email for the second step, in addition to their app. Default: `false`.
   */
  email?: boolean | undefined;
  /**
   * Renders the mail with the code, from `{ code, expiresInMinutes, appName }`. Default: the built-in mail.
   */
  emailTemplate?: CodeTemplate | undefined;
  /** Renders the notice that two recovery codes are left, from `{ appName, event }`. Default: the built-in mail. */
  recoveryCodesTemplate?: EventTemplate | undefined;
  /** Lets users skip the second step in browsers that they trust: trusted browsers. Off by default. */
  trustedBrowsers?: true | TrustedBrowsersConfig | undefined;
}

export interface TrustedBrowsersConfig {
  /** For how many days a trusted browser needs no second factor: 1 to 365. Default: `30`. */
  days?: number | undefined;
}

export interface WebAuthnConfig {
  /**
   * The domain that passkeys are bound to: the domain of your pages or a parent of it, without scheme and
   * port.
   */
  rpId: string | undefined;
  /**
   * The origins of your pages, such as `https://acme.test`. Exact, with the port; plain http only on
   * localhost.
   */
  origins: (string | undefined)[];
  /**
   * Origins of your pages at other domains, such as `https://acme.example`, for browsers with related origin
   * requests. `https://<rpId>/.well-known/webauthn` must list them. Default: `[]`.
   */
  relatedOrigins?: (string | undefined)[] | undefined;
  /** Your product's name, as the browser shows it. If absent, `appName`. */
  rpName?: string | undefined;
  /** Whether the authenticator must verify its user (PIN, fingerprint). Default: `preferred`. */
  userVerification?: 'required' | 'preferred' | 'discouraged' | undefined;
  /**
   * Whether a sign-in with a passkey and user verification counts as two factors. If false, accounts with a
   * second factor are asked for it after every passkey. Default: `true`.
   */
  countsAsTwoFactors?: boolean | undefined;
  /**
   * How long the browser waits for the user, in milliseconds. A challenge is valid for five minutes. Default:
   * `60000` (1 minute).
   */
  timeoutMs?: number | undefined;
  /**
   * Whether a passkey can complete a sign-in with another method, in accounts with an authenticator app. User
   * verification is not required then. Default: `false`.
   */
  secondFactor?: boolean | undefined;
  /** Lets people create an account with a passkey alone. `true` needs no address. Off by default. */
  signUp?: true | PasskeySignUpConfig | undefined;
}

export interface PasskeySignUpConfig {
  /**
   * The address of a new account. `verified`: proven with a mailed code before the passkey is created.
   * `later`: the account has no address until its user enters the mailed code, with `account`. `none`: no
   * address. Default: `none`.
   */
  address?: 'none' | 'verified' | 'later' | undefined;
  /** Delivers the codes. Required unless `address` is `none`. */
  sender?: EmailSender | undefined;
  /** Overrides the sender's From. */
  from?: string | undefined;
  /**
   * Renders the mail that verifies the address, from `{ code, expiresInMinutes, appName }`. Default: the
   * built-in mail.
   */
  template?: CodeTemplate | undefined;
  /**
   * Renders the mail to an address that already has an account, from `{ appName }`. It contains no code.
   * Default: the built-in mail.
   */
  addressInUseTemplate?: NoticeTemplate | undefined;
}
