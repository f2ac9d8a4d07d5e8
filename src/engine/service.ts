/** The engine (specification 4.2): wiring and accessors. Rules live in the providers and the kit. */
import { parseConfig, warnAbout } from '../config/parse-config.js';
import type { ServiceConfig } from '../config/schema.js';
import type { SessionClaims } from '../crypto/session-jwt.js';
import { toServiceUser, type ServiceUser } from '../domain/user.js';
import { LicenseRequiredError, ProviderNotConfiguredError } from '../errors/catalog.js';
import type { AnyEventHandler, EventHandler, ServiceEventName } from '../kit/events.js';
import { hideState } from '../kit/hidden-state.js';
import { checkMilliseconds, optional } from '../kit/input.js';
import { internals, type ExistingSignIns, type ServiceInternals } from '../kit/internals.js';
import type { EmailSender } from '../kit/senders/email-sender.js';
import type { SmsSender } from '../kit/senders/sms-sender.js';
import type { Toolkit } from '../kit/toolkit.js';
import type { AccountProvider } from '../providers/account/account.js';
import type { ApiKeysProvider } from '../providers/api-keys.js';
import type { EmailCodeProvider } from '../providers/email-code.js';
import type { EmailPasswordProvider } from '../providers/email-password/email-password.js';
import type { MagicLinkProvider } from '../providers/magic-link.js';
import type { IdentitiesProvider } from '../providers/identities.js';
import type { GoogleProvider } from '../providers/oauth/google.js';
import type { OAuthProvider } from '../providers/oauth/oauth.js';
import type { OrgsProvider } from '../providers/orgs/orgs.js';
import type { PhoneOtpProvider } from '../providers/phone-otp.js';
import type { RefreshProvider } from '../providers/refresh.js';
import type { SessionsProvider } from '../providers/sessions.js';
import type { ReencryptCounts } from '../providers/totp/reencryption.js';
import type { TotpProvider } from '../providers/totp/totp.js';
import type { WebAuthnProvider } from '../providers/webauthn/webauthn.js';
import type { PurgeCounts } from '../storage/adapter.js';
import { closeInOrder, sendersOf } from './closing.js';
import { LicenseCheck } from './license.js';
import { createProviders, type Providers } from './provider-registry.js';
import { createToolkit } from './toolkit.js';
import { purgeExpired, reencrypt } from './upkeep.js';

/** An authentication engine on one storage adapter. Make one per application, `init()` it at boot. */
export class Service {
  /** For the router and the guards of this package only. */
  readonly [internals]: ServiceInternals;
  private readonly tools: Toolkit;
  private readonly providers: Providers;
  private readonly license: LicenseCheck;
  private readonly senders: ReadonlySet<EmailSender | SmsSender>;

  /** @throws ConfigError that lists every fault of the configuration with its path. */
  constructor(config: ServiceConfig) {
    const parsed = parseConfig(config);
    this.tools = createToolkit(parsed);
    this.providers = createProviders(parsed, this.tools);
    const { clock, knownDevices, limiter, linkTargets, logger, sessions } = this.tools;
    const { cookie } = parsed.session;
    const existing: ExistingSignIns = {
      refresh: () => configured('refresh', this.providers.refresh),
      totp: () => configured('totp', this.providers.totp),
      webauthn: () => configured('webauthn', this.providers.webauthn),
    };
    this[internals] = { clock, cookie, existing, knownDevices, limiter, linkTargets, logger, sessions };
    this.license = new LicenseCheck(parsed, clock, logger);
    this.senders = sendersOf(parsed.providers);
    warnAbout(parsed, logger);
    hideState(this);
  }

  /**
   * Brings the tables up to date, compares the clock with the database's and verifies the licence. Call it once at boot; several
   * processes may at once.
   * @throws ConfigError for a database that cannot be used, such as one that is not in UTF8.
   */
  async init(): Promise<void> {
    const { databaseClock, logger, storage } = this.tools;
    await storage.init({ warn: (fields, message) => logger.warn(fields, message) });
    await databaseClock?.synchronize();
    this.license.verify();
    await this.providers.emailPassword?.prepare();
  }

  /**
   * Waits for mails on their way, then closes senders and adapter. Requests must have ended before. What is not through in time
   * is told to the logger and not waited for.
   * @param options.timeoutMs for the mails; default 30 seconds. Senders and adapter get five seconds each beyond it.
   * @throws InvalidRequestError for a time that is none; what the adapter rejects with.
   */
  async close(options: { timeoutMs?: number } = {}): Promise<void> {
    const { timeoutMs = 30_000 } = optional(options);
    checkMilliseconds(timeoutMs, 'timeoutMs');
    await closeInOrder(this.tools, this.senders, timeoutMs);
  }

  /**
   * A session token without a session row: it ends by expiry or when all sessions of the user are revoked.
   * @param options.claims custom claims; reserved names are refused.
   * @param options.expiresInSec whole seconds; default `session.ttlMs`.
   * @throws InvalidRequestError
   */
  createSessionToken(
    userId: string,
    options: { claims?: Record<string, unknown>; expiresInSec?: number } = {},
  ): { token: string; expiresAt: Date } {
    const { claims, expiresInSec } = optional(options);
    return this.tools.sessions.tokens.withoutRow(userId, claims, expiresInSec);
  }

  /**
   * The claims of a session token: signature, type and time only. It asks no database, so it does not see that a session
   * was revoked or a user deleted; `getSessionUser` does.
   * @throws TokenInvalidError
   */
  verifyToken(token: string): SessionClaims {
    return this.tools.sessions.tokens.verify(token);
  }

  /**
   * The user of a session token, if the session is live: one query.
   * @throws TokenInvalidError; UserNotFoundError when the user was deleted.
   */
  async getSessionUser(token: string): Promise<ServiceUser> {
    return toServiceUser(await this.tools.sessions.userOf(token));
  }

  /**
   * Removes expired sessions, codes, tokens and counters, in batches, and with a licence guests 30 days after their
   * creation, each as `account.deleteUser` does. Run it daily, from any process that has your contributors.
   * @param options.limit at most this many rows per table, and tries at guests; without it, all.
   * @returns rows removed, by table.
   * @throws InvalidRequestError for a limit that is none.
   */
  async purgeExpired(options: { limit?: number } = {}): Promise<PurgeCounts> {
    return purgeExpired(this.tools, () => this.licensed, options);
  }

  /**
   * Moves the secrets of authenticator apps to the current `encryptionKey`, in batches and while sign-ins go on. Needs no license. When it
   * resolves without a `limit` and `unreadable` is 0, `previousEncryptionKeys` serve recovery codes alone.
   * @param options.limit at most this many secrets; without it, all.
   * @throws EncryptionRequiredError without `encryptionKey`; InvalidRequestError for a limit that is none.
   */
  async reencrypt(options: { limit?: number } = {}): Promise<ReencryptCounts> {
    return reencrypt(this.tools, options);
  }

  /** Whether a licence was verified by `init()` and has not expired since. */
  get licensed(): boolean {
    return this.license.holds;
  }

  /**
   * Listens to an event (Pro), or to all with `'*'`, whose handlers get name and payload. Handlers run after the change is
   * committed; what they do, or fail to do, changes nothing.
   * @returns a function that ends the subscription.
   * @throws LicenseRequiredError; InvalidRequestError for an event that does not exist.
   */
  on<Name extends ServiceEventName>(event: Name, handler: EventHandler<Name>): () => void;
  on(event: '*', handler: AnyEventHandler): () => void;
  on(event: ServiceEventName | '*', handler: (...args: never[]) => unknown): () => void {
    if (!this.licensed) throw new LicenseRequiredError('on');
    return this.tools.events.on(event, handler);
  }

  get emailCode(): EmailCodeProvider {
    return configured('emailCode', this.providers.emailCode);
  }

  get magicLink(): MagicLinkProvider {
    return configured('magicLink', this.providers.magicLink);
  }

  get emailPassword(): EmailPasswordProvider {
    return configured('emailPassword', this.providers.emailPassword);
  }

  /** Sign-in with the built-in identity provider. */
  get google(): GoogleProvider {
    return configured('google', this.providers.google);
  }

  /** Names of the generic OAuth providers, in the order of the configuration. */
  get oauthProviders(): string[] {
    return [...this.providers.oauth.keys()];
  }

  /** A generic OAuth provider by its name in the configuration (Pro). */
  oauth(name: string): OAuthProvider {
    // What is no name is not repeated in the error.
    const option = typeof name === 'string' && /^[\w-]{1,32}$/.test(name) ? `oauth.${name}` : 'oauth';
    return this.pro('oauth', this.providers.oauth.get(name), option);
  }

  /** The accounts elsewhere that are linked to a user (Pro). Needs no configuration. */
  get identities(): IdentitiesProvider {
    return this.pro('identities', this.providers.identities);
  }

  /** One-time codes by text message (Pro). */
  get phoneOtp(): PhoneOtpProvider {
    return this.pro('phoneOtp', this.providers.phoneOtp);
  }

  /** A second factor by an authenticator app (Pro). Needs `encryptionKey`. */
  get totp(): TotpProvider {
    return this.pro('totp', this.providers.totp);
  }

  /** Passkeys (Pro). */
  get webauthn(): WebAuthnProvider {
    return this.pro('webauthn', this.providers.webauthn);
  }

  /** Refresh tokens (Pro). */
  get refresh(): RefreshProvider {
    return this.pro('refresh', this.providers.refresh);
  }

  /** Device sessions, guests, impersonation (Pro). */
  get sessionsProvider(): SessionsProvider {
    return this.pro('sessionsProvider', this.providers.sessionsProvider, 'sessions');
  }

  /** API keys (Pro). */
  get apiKeys(): ApiKeysProvider {
    return this.pro('apiKeys', this.providers.apiKeys);
  }

  /** Organisations (Pro). */
  get orgs(): OrgsProvider {
    return this.pro('orgs', this.providers.orgs);
  }

  /** Export and deletion of accounts (Pro). */
  get account(): AccountProvider {
    return this.pro('account', this.providers.account);
  }

  private pro<T>(feature: string, provider: T | undefined, option = feature): T {
    if (!this.licensed) throw new LicenseRequiredError(feature);
    return configured(option, provider);
  }
}

/** The same as `new Service(config)`. */
export function createService(config: ServiceConfig): Service {
  return new Service(config);
}

function configured<T>(name: string, provider: T | undefined): T {
  if (!provider) throw new ProviderNotConfiguredError(name);
  return provider;
}
