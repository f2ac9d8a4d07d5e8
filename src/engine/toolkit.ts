/** Creates the tools from a configuration. */
import type { ParsedConfig } from '../config/schema.js';
import { createKeyring } from '../crypto/keys.js';
import { phoneProvider } from '../domain/identity.js';
import type { OfferedMethods } from '../domain/second-factor.js';
import { AccountLimits } from '../core/limits/account-limits.js';
import { capability } from '../core/support/capability.js';
import { BackgroundWork } from '../core/support/background-work.js';
import { UserDataHandlers } from '../core/support/user-data.js';
import { DatabaseClock } from '../core/support/database-clock.js';
import { EventBus } from '../core/support/events.js';
import { FormTokens } from '../core/sessions/form-tokens.js';
import { GuestUpgrades } from '../core/sessions/guest-upgrades.js';
import type { ChallengeProvider } from '../core/limits/challenge-options.js';
import { Challenges } from '../core/limits/challenges.js';
import { proofOfWork } from '../core/limits/proof-of-work.js';
import { InvitedSignUps } from '../core/sessions/invited-sign-ups.js';
import { KnownDevices } from '../core/limits/known-devices.js';
import { Limiter } from '../core/limits/limiter.js';
import { LinkBrowsers } from '../core/mail/link-browsers.js';
import { LinkTargets } from '../core/mail/link-targets.js';
import type { ExistingSignIns, ServiceInternals } from '../core/support/internals.js';
import { consoleLogger, safeLogger, type Logger } from '../core/support/logger.js';
import { AddressVerification } from '../core/mail/address-verification.js';
import { MailboxProof } from '../core/mail/mailbox-proof.js';
import { CodeMailer, type CodeMail } from '../core/mail/code-mailer.js';
import { MailedTokens } from '../core/mail/mailed-tokens.js';
import { Mailer } from '../core/mail/mailer.js';
import { PhoneNotices } from '../core/mail/phone-notices.js';
import { NewPasswords } from '../core/support/new-passwords.js';
import { OneTimeCodes } from '../core/mail/one-time-codes.js';
import { BearerSessions } from '../core/sessions/bearer-sessions.js';
import { RefreshTokens } from '../core/sessions/refresh-tokens.js';
import { SecondFactor } from '../core/sessions/second-factor.js';
import { SessionCache } from '../core/sessions/session-cache.js';
import { SessionChecks } from '../core/sessions/session-checks.js';
import { SessionTokens } from '../core/sessions/session-tokens.js';
import { Sessions } from '../core/sessions/sessions.js';
import { withSharedCounters } from '../core/limits/shared-counters.js';
import { SignIn } from '../core/sessions/sign-in.js';
import { SignUpPolicy } from '../core/sessions/sign-up-policy.js';
import type { EnabledSignIns } from '../core/sessions/sign-in-methods.js';
import { SmsMailer } from '../core/mail/sms-mailer.js';
import type { Clock } from '../core/support/clock.js';
import { TrustedBrowsers } from '../core/sessions/trusted-browsers.js';
import type { InviteLinks, Toolkit } from '../core/toolkit.js';
import { Usernames } from '../core/support/usernames.js';
import { UserDeletion } from '../core/support/user-deletion.js';

export function createToolkit(config: ParsedConfig): Toolkit {
  const { adapter: storage, session, rateLimit, providers } = config;
  const logger = safeLogger(config.logger ?? consoleLogger);
  const databaseClock = databaseClockOf(config, logger);
  const clock = databaseClock?.now ?? config.clock;
  const keys = createKeyring(session.secret, session.previousSecrets);
  const { rateLimits, oneTimeCodes } = rateLimit.store
    ? withSharedCounters(storage, rateLimit.store, logger)
    : storage;
  const limiter = new Limiter(rateLimits, keys, clock);
  const events = new EventBus(logger);
  const userDataHandlers = new UserDataHandlers();
  const tokens = new SessionTokens(keys, session, clock);
  const sessionCache = session.cache
    ? new SessionCache(capability(storage, 'sessionChanges'), session.cache.maxStaleMs)
    : null;
  const checks = new SessionChecks(storage, tokens, session.renewAfterMs, clock, sessionCache);
  const trustedBrowsers = trustedBrowsersOf(config, clock, events);
  const sessions = new Sessions(storage, tokens, checks, session, clock, events, trustedBrowsers);
  const secondFactor = new SecondFactor(storage, keys, limiter, clock, offeredSecondFactors(providers));
  const bearer = bearerOf(session, storage, { clock, events, keys, logger, sessions });
  const signIn = new SignIn(
    storage.users,
    sessions,
    secondFactor,
    logger,
    events,
    clock,
    bearer,
    trustedBrowsers,
  );
  const orgs = providers.orgs ? (storage.orgs ?? null) : null;
  const allowUnverified = providers.orgs?.allowUnverified === true;
  const invites = new InvitedSignUps(orgs, allowUnverified, keys, clock);
  const signUpPolicy = new SignUpPolicy(config.signUp, storage.users, invites, clock, logger);
  const limits = { send: rateLimit, login: rateLimit.login, signUp: rateLimit.signUp };
  const codes = new OneTimeCodes(oneTimeCodes, keys, limiter, config.code, clock);
  const mailer = new Mailer(config.appName, logger);
  const codeMailer = new CodeMailer(mailer, clock, events);
  const background = new BackgroundWork(logger, clock);
  const { users } = storage;
  const knownDevices = new KnownDevices(keys, clock);
  const accountLimits = new AccountLimits(limiter, knownDevices, storage.users, limits, logger);
  const ownUrls = [providers.magicLink?.baseUrl, providers.emailPassword?.resetUrl].filter(
    (url) => url !== undefined,
  );
  return {
    accountLimits,
    addressVerification: new AddressVerification({
      users,
      clock,
      codeMailer,
      codes,
      limiter,
      limits,
      logger,
    }),
    bearer,
    background,
    challenges: challengesOf(config, { keys, limiter, clock }),
    clock,
    codeMailer,
    codes,
    encryptionKeys:
      config.encryptionKey === undefined
        ? null
        : createKeyring(config.encryptionKey, config.previousEncryptionKeys),
    userDataHandlers,
    databaseClock,
    events,
    formTokens: new FormTokens(keys),
    guestUpgrades: new GuestUpgrades(storage, signUpPolicy, clock, events),
    inviteLinks: inviteLinksOf(providers),
    keys,
    knownDevices,
    limiter,
    limits,
    linkBrowsers: new LinkBrowsers(keys),
    linkTargets: new LinkTargets([...ownUrls, ...config.trustedOrigins]),
    logger,
    mailboxProof: new MailboxProof(storage.users, signIn, signUpPolicy, clock, logger, events),
    mailedTokens: new MailedTokens(storage.singleUseTokens, keys, clock),
    mailer,
    newPasswords: new NewPasswords(providers.emailPassword, config.appName, logger),
    phoneNotices: new PhoneNotices(providers.phoneOtp?.notices, mailer, background),
    secondFactor,
    secondFactorMail: secondFactorMailOf(providers),
    sessionCache,
    sessions,
    signIn,
    signInMethods: signInMethods(providers),
    signUpPolicy,
    storage,
    smsMailer: new SmsMailer(config.appName, logger),
    trustedBrowsers,
    usernames: new Usernames(config.usernames),
    userDeletion: new UserDeletion(storage, userDataHandlers, clock, logger, events),
    verifiedProviders: providersLinkingByEmail(providers),
  };
}

/** Returns what the router and the guards use. */
export function createInternals(
  { code, providers, session }: ParsedConfig,
  toolkit: Toolkit,
  existing: ExistingSignIns,
): ServiceInternals {
  const { clock, formTokens, knownDevices, limiter, linkTargets, logger, sessions } = toolkit;
  const { verifyEmail, verifyGraceMs = 0 } = providers.emailPassword ?? {};
  const unverifiedGraceMs = verifyEmail === 'require' ? verifyGraceMs : null;
  const { cookie } = session;
  return {
    bearer: toolkit.bearer.tokens,
    clock,
    codeDigits: code.length,
    cookie,
    existing,
    formTokens,
    knownDevices,
    limiter,
    linkTargets,
    logger,
    pageTargets: {},
    sessions,
    trustsBrowsers: toolkit.trustedBrowsers !== null,
    unverifiedGraceMs,
    users: toolkit.storage.users,
  };
}

function challengesOf(
  { signUp: { challenge } }: ParsedConfig,
  { keys, ...tools }: Pick<Toolkit, 'keys' | 'limiter' | 'clock'>,
): Challenges {
  const isBuiltIn = challenge?.provider === 'proof-of-work';
  const provider = isBuiltIn ? proofOfWork(challenge, keys) : (challenge?.provider ?? null);
  return new Challenges(challenge ?? null, provider as ChallengeProvider | null, tools);
}

/** @throws AdapterCapabilityError if the adapter does not store refresh tokens. */
function bearerOf(
  { bearer, maxAgeMs, ttlMs, unrememberedTtlMs = ttlMs }: ParsedConfig['session'],
  storage: ParsedConfig['adapter'],
  tools: ConstructorParameters<typeof RefreshTokens>[2],
): BearerSessions {
  if (!bearer) return new BearerSessions(null, ttlMs);
  const options = { ...bearer, ttlMs: maxAgeMs };
  const tokens = new RefreshTokens(capability(storage, 'refreshFamilies'), options, tools);
  return new BearerSessions(tokens, unrememberedTtlMs);
}

/** Null if the application has set a clock: tests move it, and a database could not follow. */
function databaseClockOf({ adapter, clock }: ParsedConfig, logger: Logger): DatabaseClock | null {
  // eslint-disable-next-line no-restricted-properties -- compared with the default of the schema
  if (clock !== Date.now || !adapter.currentTime) return null;
  return new DatabaseClock(clock, async () => (await adapter.currentTime?.()) ?? Number.NaN, logger);
}

/** The providers whose verified addresses are linked to existing accounts: Google, and those with `linking: 'verified-email'`. */
function providersLinkingByEmail({ google, oauth = {} }: ParsedConfig['providers']): Set<string> {
  const linking = Object.entries(oauth).filter(([, { linking }]) => linking === 'verified-email');
  return new Set([...(google ? ['google'] : []), ...linking.map(([name]) => name)]);
}

/** The methods of the second step besides the authenticator app. */
function offeredSecondFactors({ totp, webauthn }: ParsedConfig['providers']): OfferedMethods {
  return { email: totp?.email ?? false, passkey: webauthn?.secondFactor ?? false };
}

function secondFactorMailOf({ totp }: ParsedConfig['providers']): CodeMail | null {
  if (!totp?.email || !totp.sender) return null;
  return { sender: totp.sender, from: totp.from, template: totp.emailTemplate };
}

function trustedBrowsersOf(
  { adapter, providers }: ParsedConfig,
  clock: Clock,
  events: EventBus,
): TrustedBrowsers | null {
  const { days } = providers.totp?.trustedBrowsers ?? {};
  return days === undefined ? null : new TrustedBrowsers(adapter, clock, events, days * 24 * 60 * 60_000);
}

function inviteLinksOf({ emailPassword, magicLink }: ParsedConfig['providers']): InviteLinks | null {
  if (emailPassword?.resetUrl !== undefined)
    return { purpose: 'password_reset', url: emailPassword.resetUrl, mailOptions: emailPassword };
  return magicLink ? { purpose: 'magic_link', url: magicLink.baseUrl, mailOptions: magicLink } : null;
}

function signInMethods(providers: ParsedConfig['providers']): EnabledSignIns {
  const { emailCode, magicLink, emailPassword, google, oauth = {}, phoneOtp, webauthn } = providers;
  return {
    byMail: Boolean(emailCode ?? magicLink ?? emailPassword),
    byPasskey: Boolean(webauthn),
    providers: new Set([
      ...Object.keys(oauth),
      ...(google ? ['google'] : []),
      ...(phoneOtp ? [phoneProvider] : []),
    ]),
  };
}
