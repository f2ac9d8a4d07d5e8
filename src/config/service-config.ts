/** The configuration of a service. The schemas in schema.ts check it and have its defaults. */
import type { AccountNoticeTemplate, EmailSender } from '../core/mail/senders/email-sender.js';
import type { MailTexts } from '../core/mail/texts/en.js';
import type { Logger } from '../core/support/logger.js';
import type { StorageAdapter } from '../storage/adapter.js';
import type { RateLimitStore } from '../storage/rate-limit-store.js';
import type { BrandConfig } from './brand-config.js';
import type { ProvidersConfig } from './provider-config.js';
import type { SessionConfig } from './session-config.js';
import type { ProfilesConfig, SignUpConfig, UsernamesConfig } from './sign-up-config.js';

/** Mails that users get about their own account. */
export interface NoticesConfig {
  /** Delivers the notices. */
  sender: EmailSender;
  /** The URL of the link “This wasn't me”, usually the router's `/not-me`; the token is added as `token`. */
  baseUrl: string | undefined;
  /**
   * Whether users get a mail when a password, passkey, second factor, identity, phone number, user name, address,
   * API key or trusted browser of their account changes. Default: `true`.
   */
  credentials?: boolean | undefined;
  /** Whether users get a mail about a sign-in from a device that their account has not used. Default: `true`. */
  newDevice?: boolean | undefined;
  /**
   * Renders the mail from `{ change, about, event, appName }`. `event.notMeUrl` is the link. Default: the
   * built-in mail.
   */
  template?: AccountNoticeTemplate | undefined;
  /** Overrides the sender's From. */
  from?: string | undefined;
}

/** What `createService` takes. */
export interface ServiceConfig {
  /** The storage of all records: `knexAdapter(…)`, `pgliteAdapter(…)` or `memoryAdapter()`. */
  adapter: StorageAdapter;
  /** Sessions and the secret that signs them. */
  session: SessionConfig;
  /** Who may create an account. */
  signUp?: SignUpConfig | undefined;
  /** User names. */
  usernames?: UsernamesConfig | undefined;
  /** Names and pictures of users. */
  profiles?: ProfilesConfig | undefined;
  /** Your product's name, unless `brand.name` is set. Default: `the app`. */
  appName?: string | undefined;
  /** How pages and mails show your product. */
  brand?: BrandConfig | undefined;
  /** The languages of mails and text messages. */
  languages?: LanguagesConfig | undefined;
  /** One-time codes by email. */
  code?: CodeConfig | undefined;
  /** Limits on sends and on failed passwords. */
  rateLimit?: RateLimitConfig | undefined;
  /**
   * Origins that may post to the routes and be a `redirectTo`, in addition to those of `baseUrl` and
   * `resetUrl`. Those of apps and extensions, such as `capacitor://localhost` and `chrome-extension://…`, may
   * post. The request's own host may always post. Default: `[]`.
   */
  trustedOrigins?: string[] | undefined;
  /**
   * `{ debug, info, warn, error }` with pino's arguments: fields, then message. If absent, warnings and
   * errors are written to the console.
   */
  logger?: Logger | undefined;
  /**
   * Returns milliseconds since the epoch; every expiry uses it. The default follows the clock of the database
   * if the adapter has one. Default: `Date.now`.
   */
  clock?: (() => number) | undefined;
  /**
   * Receives the work that continues after a response, such as the mail of a reset: `(work) =>
   * waitUntil(work)` on platforms that stop a function with its response. `close()` waits for it in any case.
   */
  background?: ((work: Promise<void>) => unknown) | undefined;
  /**
   * Returns the place of a client's IP address, such as `Hamburg, Germany`, from your database of places; null if it is
   * unknown. The list of devices and notices by mail show it. They wait at most 300 ms, and show none if it fails.
   */
  locate?: ((ip: string) => string | null | undefined | Promise<string | null | undefined>) | undefined;
  /** Records every change and every sign-in in the database. Default: `false`. */
  audit?: boolean | AuditConfig | undefined;
  /** Mails about changes of an account and sign-ins from new devices. */
  notices?: NoticesConfig | undefined;
  /**
   * Counts sign-ups, sign-ins, failures, limits, messages and active users for the overview of the admin pages
   * and `service.statistics`. Default: `false`.
   */
  statistics?: boolean | undefined;
  /**
   * Records spans and metrics with the package `@opentelemetry/api`, in the SDK that the application has
   * started. Default: `false`.
   */
  telemetry?: boolean | undefined;
  /** Unlocks the Pro tier. */
  licenseKey?: string | undefined;
  /** The key (PEM) that the license is verified with, instead of the vendor's. */
  licensePublicKey?: string | undefined;
  /** Encrypts TOTP secrets: 32 bytes or more, not a session secret. */
  encryptionKey?: string | undefined;
  /** Encryption keys that still decrypt after a rotation. Default: `[]`. */
  previousEncryptionKeys?: (string | undefined)[] | undefined;
  /** The sign-in methods and features to enable. Default: `{}`. */
  providers?: ProvidersConfig | undefined;
}

export interface AuditConfig {
  /** Days after which `service.purgeExpired` removes sealed records. Default: never. */
  retentionDays?: number | undefined;
  /** How often records are sealed, in milliseconds, in one of the processes. Default: `10000` (10 seconds). */
  sealEveryMs?: number | undefined;
}

export interface LanguagesConfig {
  /**
   * Tags of the languages that mails, text messages and pages may have. Default: the built-in ones, and those
   * of `translations`.
   */
  offered?: string[] | undefined;
  /** The language of a reader who has asked for none of them. Default: `en`. */
  default?: string | undefined;
  /**
   * Your own languages, or your own words in a built-in one: the sentences of mails and text messages by
   * language tag, as objects of the type `MailTexts`. Default: `{}`.
   */
  translations?: Record<string, MailTexts> | undefined;
}

export interface CodeConfig {
  /** Digits of a code. Default: `6`. */
  length?: number | undefined;
  /** Lifetime of a code in milliseconds. Default: `600000` (10 minutes). */
  ttlMs?: number | undefined;
  /** Wrong attempts per code. Default: `5`. */
  maxAttempts?: number | undefined;
}

export interface RateLimitConfig {
  /** Maximum sends per purpose and address in a window. Default: `5`. */
  maxPerWindow?: number | undefined;
  /** Length of that window in milliseconds. Default: `900000` (15 minutes). */
  windowMs?: number | undefined;
  /** Failed passwords; `false` disables these limits. */
  login?: false | LoginLimitsConfig | undefined;
  /** Sign-ups with a password per client and per network; `false` disables these limits. */
  signUp?: false | SignUpLimitsConfig | undefined;
  /** A shared store of counters, used instead of the database. */
  store?: RateLimitStore | undefined;
}

export interface LoginLimitsConfig {
  /** Failed passwords for one address from one client. Default: 10 in 15 minutes. */
  perAddressAndIp?: LimitConfig | undefined;
  /** Failed passwords for one address from all clients. Default: 100 in a day. */
  perAddress?: LimitConfig | undefined;
  /** Failed passwords from one client for all addresses. Default: 200 in 15 minutes. */
  perIp?: LimitConfig | undefined;
}

export interface LimitConfig {
  /** Maximum in a window; the next one is refused with 429. */
  max?: number | undefined;
  /** Length of the window in milliseconds. */
  windowMs?: number | undefined;
}

export interface SignUpLimitsConfig {
  /** Sign-ups with a password from one client. Default: 200 in 15 minutes. */
  perIp?: LimitConfig | undefined;
  /**
   * Sign-ups with a password from one network: the /24 of an IPv4 address, the /48 of an IPv6 address. Default: 1,000
   * in 15 minutes.
   */
  perNetwork?: LimitConfig | undefined;
}
