/** Creates the tools from a configuration. */
import type { ParsedConfig } from '../config/schema.js';
import { createKeyring } from '../crypto/keys.js';
import { phoneProvider } from '../domain/identity.js';
import { AccountLimits } from '../core/limits/account-limits.js';
import { capability } from '../core/support/capability.js';
import { BackgroundWork } from '../core/support/background-work.js';
import { UserDataHandlers } from '../core/support/user-data.js';
import { DatabaseClock } from '../core/support/database-clock.js';
import { EventBus } from '../core/support/events.js';
import { FormTokens } from '../core/sessions/form-tokens.js';
import { GuestUpgrades } from '../core/sessions/guest-upgrades.js';
import { KnownDevices } from '../core/limits/known-devices.js';
import { Limiter } from '../core/limits/limiter.js';
import { LinkTargets } from '../core/mail/link-targets.js';
import type { ExistingSignIns, ServiceInternals } from '../core/support/internals.js';
import { consoleLogger, safeLogger, type Logger } from '../core/support/logger.js';
import { AddressVerification } from '../core/mail/address-verification.js';
import { MailboxProof } from '../core/mail/mailbox-proof.js';
import { CodeMailer } from '../core/mail/code-mailer.js';
import { MailedTokens } from '../core/mail/mailed-tokens.js';
import { Mailer } from '../core/mail/mailer.js';
import { NewPasswords } from '../core/support/new-passwords.js';
import { OneTimeCodes } from '../core/mail/one-time-codes.js';
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
  const sessions = new Sessions(storage, tokens, checks, session, clock, events);
  const secondFactor = new SecondFactor(storage.users, keys, limiter, clock);
  const signIn = new SignIn(storage.users, sessions, secondFactor, logger, events, clock);
  const signUpPolicy = new SignUpPolicy(config.signUp, storage.users, clock, logger);
  const limits = { send: rateLimit, login: rateLimit.login, signUp: rateLimit.signUp };
  const codes = new OneTimeCodes(oneTimeCodes, keys, limiter, config.code, clock);
  const mailer = new Mailer(config.appName, logger);
  const codeMailer = new CodeMailer(mailer, clock, events);
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
    background: new BackgroundWork(logger, clock),
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
    linkTargets: new LinkTargets([...ownUrls, ...config.trustedOrigins]),
    logger,
    mailboxProof: new MailboxProof(storage.users, signIn, signUpPolicy, clock, logger, events),
    mailedTokens: new MailedTokens(storage.singleUseTokens, keys, clock),
    mailer,
    newPasswords: new NewPasswords(providers.emailPassword),
    secondFactor,
    sessionCache,
    sessions,
    signIn,
    signInMethods: signInMethods(providers),
    signUpPolicy,
    storage,
    smsMailer: new SmsMailer(config.appName, logger),
    usernames: new Usernames(config.usernames),
    userDeletion: new UserDeletion(storage, userDataHandlers, clock, logger, events),
    verifiedProviders: providersLinkingByEmail(providers),
  };
}

/** Returns what the router and the guards use. */
export function createInternals(
  { providers, session }: ParsedConfig,
  { clock, formTokens, knownDevices, limiter, linkTargets, logger, sessions }: Toolkit,
  existing: ExistingSignIns,
): ServiceInternals {
  const { verifyEmail, verifyGraceMs = 0 } = providers.emailPassword ?? {};
  const unverifiedGraceMs = verifyEmail === 'require' ? verifyGraceMs : null;
  const { cookie } = session;
  return {
    clock,
    cookie,
    existing,
    formTokens,
    knownDevices,
    limiter,
    linkTargets,
    logger,
    sessions,
    unverifiedGraceMs,
  };
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
