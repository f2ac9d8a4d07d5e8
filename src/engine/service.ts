/** The engine (specification 4.2): wiring and accessors. Rules live in the providers and in core. */
import type { ServiceConfig } from '../config/service-config.js';
import { mustNotNeedProof, type SessionClaims } from '../crypto/session-jwt.js';
import { toServiceUser, type ServiceUser } from '../domain/user.js';
import { InvalidRequestError, LicenseRequiredError } from '../errors/catalog.js';
import type { AnyEventHandler, EventHandler, ServiceEventName } from '../core/support/events.js';
import { hideState } from '../core/support/hidden-state.js';
import { checkMilliseconds, parseOptions } from '../core/support/input.js';
import type { UserChangeBy } from '../core/sessions/change-by.js';
import type { LockdownInput, LockdownResult } from '../core/sessions/lockdowns.js';
import { usualPollMs, type OnSessionEnd, type SessionWatch } from '../core/sessions/watched-sessions.js';
import { internals, type ServiceInternals } from '../core/internals.js';
import type { RequestContext } from '../core/sessions/request-context.js';
import type { SignInResult } from '../core/sessions/sign-in-result.js';
import type { ReencryptCounts } from '../providers/totp/reencryption.js';
import type { OAuthProvider } from '../providers/table.js';
import type { PurgeCounts } from '../storage/adapter.js';
import type { StorageWarning } from '../storage/warning.js';
import { assemble, type Assembly } from './assemble.js';
import { closeInOrder } from './closing.js';
import { configured } from './configured.js';
import type { DiagnoseOptions } from './doctor/diagnose.js';
import type { Finding } from './doctor/finding.js';
import type { ServiceFeatures } from './features.js';
import type { Health, HealthOptions } from './health.js';
import type { ProviderOf, Providers } from './provider-registry.js';
import { checkSchema } from './schema-check.js';
import type { PurgeOptions, ReencryptOptions } from './upkeep.js';

/** An authentication engine on one storage adapter. Create one per application and call `init()` at boot. */
export class Service {
  /** Only for the router and the guards of this package. */
  readonly [internals]: ServiceInternals;
  private readonly parts: Assembly;

  /** @throws ConfigError that lists every fault of the configuration with its path. */
  constructor(config: ServiceConfig) {
    this.parts = assemble(config);
    this[internals] = this.parts.internals;
    hideState(this);
  }

  /**
   * Migrates the tables, compares the clock with the database's and verifies the license. Call it once at boot; several processes may
   * call it concurrently. @throws ConfigError if the database cannot be used, for example because its encoding is not UTF8.
   * @param options.migrate false: changes no schema, and throws a `ConfigError` if a migration is missing. Default: true.
   */
  async init(options: { migrate?: boolean } = {}): Promise<void> {
    const { migrate = true } = parseOptions(options, ['migrate']);
    if (typeof migrate !== 'boolean') throw new InvalidRequestError('migrate must be true or false.');
    const { license, providers, sealEveryMs, tools } = this.parts;
    const { audit, databaseClock, logger, sessionCache, storage } = tools;
    const warn: StorageWarning = (fields, message) => logger.warn(fields, message);
    await storage.init({ warn, migrate });
    if (!migrate) await checkSchema(storage, warn);
    await databaseClock?.synchronize();
    sessionCache?.open(warn);
    license.verify();
    await providers.emailPassword?.prepare();
    audit?.sealer.start(sealEveryMs);
  }

  /**
   * Waits for pending mails, then closes the senders and the adapter. All requests must have ended. Stops waiting for what does not finish in time, and logs it.
   * @param options.timeoutMs for the mails; default 30 seconds. The senders and the adapter have five seconds each in addition.
   * @throws InvalidRequestError if `timeoutMs` is invalid; the adapter's error if it cannot be closed.
   */
  async close(options: { timeoutMs?: number } = {}): Promise<void> {
    const { timeoutMs = 30_000 } = parseOptions(options, ['timeoutMs']);
    checkMilliseconds(timeoutMs, 'timeoutMs');
    await closeInOrder(this.parts.tools, this.parts.senders, timeoutMs);
  }

  /**
   * Creates a session token without a session row: it is valid until it expires or all sessions of the user are revoked.
   * @param options.claims custom claims; reserved names are rejected. @throws InvalidRequestError
   * @param options.expiresInSec whole seconds; default `session.ttlMs`.
   */
  createSessionToken(
    userId: string,
    options: { claims?: Record<string, unknown>; expiresInSec?: number } = {},
  ): { token: string; expiresAt: Date } {
    const { claims, expiresInSec } = parseOptions(options, ['claims', 'expiresInSec']);
    return this.parts.tools.sessions.tokens.issueStateless(userId, claims, expiresInSec);
  }

  /**
   * Returns the claims of a session token. Checks signature, type and time only, without a query: it does not notice that
   * the session was revoked, the user deleted, or the session bound to its browser after the token was issued (docs/bound-sessions.md);
   * `getSessionUser` does. @throws TokenInvalidError, also for a token that is bound to the key of a client (DPoP): guards check the proof
   * of its request.
   */
  verifyToken(token: string): SessionClaims {
    const claims = this.parts.tools.sessions.tokens.verifyClaims(token);
    mustNotNeedProof(claims);
    return claims;
  }

  /** Returns the user of an active session: one query, or none with `session.cache`. @throws TokenInvalidError; UserNotFoundError if the user was deleted. */
  async getSessionUser(token: string): Promise<ServiceUser> {
    return toServiceUser(await this.parts.tools.sessions.userOf(token));
  }

  /**
   * Removes expired sessions, codes, tokens and counters, in batches, and with a license guests 30 days after their creation, each as
   * `account.deleteUser` does. Run it daily, in a process that has registered your user data handlers. @returns rows removed, by table.
   * @param options.limit maximum rows per table, and maximum guests to delete; default all. @param options.guests false leaves guests.
   * @param options.onProgress receives the number of rows that are removed so far, after each batch. @throws InvalidRequestError.
   */
  async purgeExpired(options: PurgeOptions = {}): Promise<PurgeCounts> {
    return this.parts.upkeep.purgeExpired(options);
  }

  /**
   * Re-encrypts the secrets of authenticator apps with the current `encryptionKey`, in batches, while sign-ins continue. Needs no
   * license. Once it resolves without a `limit` and with `unreadable` 0, only recovery codes still need `previousEncryptionKeys`.
   * @param options.limit maximum secrets; default all. @param options.onProgress receives the counts so far, and how many secrets there were.
   * @throws EncryptionRequiredError without `encryptionKey`; InvalidRequestError.
   */
  async reencrypt(options: ReencryptOptions = {}): Promise<ReencryptCounts> {
    return this.parts.upkeep.reencrypt(options);
  }

  /**
   * Creates the account of a sign-in that was refused with `FieldsRequiredError`, and signs in. Possible once, for 30 minutes. Refused
   * fields do not consume the token.
   * @param input.token `pending.token` of the error. @param input.fields the fields of `signUp.fields`.
   * @throws InvalidRequestError that names the fields; TokenInvalidError if the token is malformed, expired or already used;
   * SignUpDisabledError; EmailExistsError if the account has been created in the meantime: sign in to it;
   * ProviderNotConfiguredError without `signUp.fields`.
   */
  async completeSignUp(
    input: { token: string; fields?: Record<string, unknown> | undefined },
    context: RequestContext = {},
  ): Promise<SignInResult> {
    return this.parts.tools.signUpCompletion.complete(input, context);
  }

  /**
   * Ends every session, refresh family, grant of the OAuth server, impersonation, trusted browser and pending sign-in, that of the caller
   * included: with `{}` of all users, with `orgId` of the members of an organization, with `userId` of a user. Every process refuses them
   * at its next request. New sign-ins are possible at once. `apiKeys: true` revokes API keys too. See docs/operate.md.
   * @param input an id that is `undefined` is refused, because it must not mean all users.
   * @param by the actor of the change. Default: the system.
   * @returns the number of users; null for all users.
   * @throws InvalidRequestError; UserNotFoundError; OrgError if the organization does not exist; TokenInvalidError or NotAuthorizedError
   * if the session of `by.actor` has ended or its roles have changed; AdapterCapabilityError.
   */
  async lockdown(input: LockdownInput, by?: UserChangeBy): Promise<LockdownResult> {
    return this.parts.tools.lockdowns.start(input, by);
  }

  /**
   * Calls `onEnd` once with the reason when the session of a token ends, in this process or another, so that a socket can be closed:
   * docs/sockets.md. For a request, which may have cookies of a page of another site, or a proof of a key, use `watchSession`.
   * @param onEnd what it throws is logged.
   * @param options.pollMs how often the session is read if the storage reports no changes; 100 to 60,000, default 5,000.
   * @throws TokenInvalidError, EmailUnverifiedError as `requireSession`; InvalidRequestError; InternalError after `close()`.
   */
  async watch(token: string, onEnd: OnSessionEnd, options: { pollMs?: number } = {}): Promise<SessionWatch> {
    const { pollMs = usualPollMs } = parseOptions(options, ['pollMs']);
    return this.parts.tools.watchedSessions.watch(token, onEnd, pollMs, () => void this.verifyToken(token));
  }

  /**
   * Looks for mistakes in the configuration, the database, the senders and, with `app` and `request`, the application of Express, and
   * returns what it finds, errors first. Takes up to ten seconds, writes nothing, and sends nothing. Needs no `init()`.
   * @param options.app the Express application. Default: that of `request`. @param options.request a request that Express has received
   * through your proxies. @throws InvalidRequestError if one of them is something else.
   */
  async diagnose(options: DiagnoseOptions = {}): Promise<Finding[]> {
    return this.parts.diagnose(options);
  }

  /**
   * Returns whether requests can be served: the database responds in time and has its tables, and Redis responds if it is configured.
   * Never rejects because one of them fails. Concurrent calls share one check. @throws InvalidRequestError for an invalid option.
   * @param options.timeoutMs how long each check may take; default two seconds.
   */
  async health(options: HealthOptions = {}): Promise<Health> {
    return this.parts.health(options);
  }

  /** Whether `init()` has verified a license that has not expired since. */
  get licensed(): boolean {
    return this.parts.license.isValid;
  }

  /**
   * What is configured and licensed, without secrets: ask it before you use an accessor that may throw. The same object until the license
   * becomes valid or expires.
   */
  get features(): ServiceFeatures {
    return this.parts.features(this.licensed);
  }

  /**
   * Subscribes to an event (Pro), or to all with `'*'`, whose handlers receive name and payload. Handlers run after the change is
   * committed; their errors do not affect it. @returns a function that ends the subscription.
   * @throws LicenseRequiredError; InvalidRequestError for an unknown event.
   */
  on<Name extends ServiceEventName>(event: Name, handler: EventHandler<Name>): () => void;
  on(event: '*', handler: AnyEventHandler): () => void;
  on(event: ServiceEventName | '*', handler: (...args: never[]) => unknown): () => void {
    this.requireLicense('on');
    return this.parts.tools.events.on(event, handler);
  }

  /** Sign-in with a code by email. */
  get emailCode() {
    return this.free('emailCode');
  }

  /** Sign-in with a link by email. */
  get magicLink() {
    return this.free('magicLink');
  }

  /** Sign-in with a password. */
  get emailPassword() {
    return this.free('emailPassword');
  }

  /** Sign-in with Google, or with the OpenID provider that `issuer` names. */
  get google() {
    return this.free('google');
  }

  /** User names, with `usernames: { enabled: true }`. */
  get usernames() {
    return this.free('usernames');
  }

  /** The administration of users. Needs no configuration. */
  get users() {
    return this.free('users');
  }

  /** The audit log, with the option `audit`. */
  get audit() {
    return this.free('audit');
  }

  /** The names of the generic OAuth providers, in the order of the configuration. */
  get oauthProviders(): string[] {
    return [...(this.parts.providers.oauth?.keys() ?? [])];
  }

  /** A generic OAuth provider by its name in the configuration (Pro). */
  oauth(name: string): OAuthProvider {
    // The error does not repeat a malformed name.
    const option = typeof name === 'string' && /^[\w-]{1,32}$/.test(name) ? `oauth.${name}` : 'oauth';
    this.requireLicense('oauth');
    return configured(option, this.parts.providers.oauth?.get(name));
  }

  /** The external identities that are linked to a user. Needs no configuration. */
  get identities() {
    return this.free('identities');
  }

  /** One-time codes by text message (Pro). */
  get phoneOtp() {
    return this.pro('phoneOtp');
  }

  /** A second factor by an authenticator app (Pro). Needs `encryptionKey`. */
  get totp() {
    return this.pro('totp');
  }

  /** The second step of a sign-in: its methods, codes by email, trusted browsers. Its options are those of `totp`. */
  get secondFactor() {
    return this.free('secondFactor');
  }

  /** Passkeys (Pro). */
  get webauthn() {
    return this.pro('webauthn');
  }

  /** Refresh tokens (Pro). */
  get refresh() {
    return this.pro('refresh');
  }

  /** Device sessions, guests, impersonation (Pro). */
  get sessionsProvider() {
    return this.pro('sessions', 'sessionsProvider');
  }

  /** API keys (Pro). */
  get apiKeys() {
    return this.pro('apiKeys');
  }

  /** Organizations (Pro). */
  get orgs() {
    return this.pro('orgs');
  }

  /** Export and deletion of accounts (Pro). */
  get account() {
    return this.pro('account');
  }

  /** What has happened, counted: sign-ups, sign-ins, failures, limits, messages and active users. Needs `statistics: true`. */
  get statistics() {
    return this.parts.statistics;
  }

  private free<Name extends ProviderOf<'free'>>(name: Name): NonNullable<Providers[Name]> {
    return configured(name, this.parts.providers[name]);
  }

  private pro<Name extends ProviderOf<'pro'>>(
    name: Name,
    feature: string = name,
  ): NonNullable<Providers[Name]> {
    this.requireLicense(feature);
    return configured(name, this.parts.providers[name]);
  }

  private requireLicense(feature: string): void {
    if (!this.licensed) throw new LicenseRequiredError(feature);
  }
}

/** The same as `new Service(config)`. */
export function createService(config: ServiceConfig): Service {
  return new Service(config);
}
