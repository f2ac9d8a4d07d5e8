/** Creates the tools from a configuration. */
import type { ParsedConfig } from '../config/schema.js';
import { createKeyring } from '../crypto/keys.js';
import { ActingRequests } from '../core/support/acting-requests.js';
import { Changes } from '../core/support/changes.js';
import { AccountLimits } from '../core/limits/account-limits.js';
import { resolveBrand } from '../core/support/brand.js';
import { capability } from '../core/support/capability.js';
import { BackgroundWork } from '../core/queues/background-work.js';
import { UserDataHandlers } from '../core/support/user-data.js';
import { placesOf } from '../core/support/locations.js';
import { EventBus } from '../core/support/events.js';
import { codeFailed } from '../core/support/failed-codes.js';
import { limitExceeded } from '../core/support/exceeded-limits.js';
import { FormTokens } from '../core/sessions/form-tokens.js';
import { LegacyUsers } from '../core/imports/legacy-users.js';
import { UsernameOwners } from '../core/imports/username-owners.js';
import { UserExports } from '../core/imports/user-exports.js';
import { UserImports } from '../core/imports/user-imports.js';
import { GuestUpgrades } from '../core/sign-ups/guest-upgrades.js';
import { InvitedSignUps } from '../core/sign-ups/invited-sign-ups.js';
import { KnownDevices } from '../core/limits/known-devices.js';
import { reportUncorrected } from '../core/limits/counters.js';
import { Limiter } from '../core/limits/limiter.js';
import { Languages } from '../core/mail/languages.js';
import { Lockdowns } from '../core/sessions/lockdowns.js';
import { WatchedSessions } from '../core/sessions/watched-sessions.js';
import { LinkBrowsers } from '../core/mail/link-browsers.js';
import { LinkTargets } from '../core/support/link-targets.js';
import type { ExistingSignIns, ServiceInternals } from '../core/internals.js';
import { consoleLogger, safeLogger } from '../core/support/logger.js';
import { AddressVerification } from '../core/mail/address-verification.js';
import { Profiles } from '../core/support/profiles.js';
import { patientStorage } from '../core/support/patient-storage.js';
import { MailboxProof } from '../core/sign-ups/mailbox-proof.js';
import { CodeMailer } from '../core/mail/code-mailer.js';
import { MailedTokens } from '../core/mail/mailed-tokens.js';
import { Mailer } from '../core/mail/mailer.js';
import { AccountNotices } from '../core/mail/account-notices.js';
import { Notices } from '../core/mail/notices.js';
import { NotMeLinks } from '../core/mail/not-me-links.js';
import { PhoneNotices } from '../core/mail/phone-notices.js';
import { NewPasswords } from '../core/passwords/new-passwords.js';
import { OneTimeCodes } from '../core/mail/one-time-codes.js';
import { readResetLink } from '../core/mail/reset-links.js';
import { unblockedUser } from '../core/sessions/existing-user.js';
import { isCreator } from '../providers/orgs/creation.js';
import { refusedSessions } from '../core/sessions/refused-sessions.js';
import { SecondFactor } from '../core/sessions/second-factor.js';
import { SessionChecks } from '../core/sessions/session-checks.js';
import { SessionTokens } from '../core/sessions/session-tokens.js';
import { Sessions } from '../core/sessions/sessions.js';
import { countingStorage } from '../core/limits/shared-counters.js';
import { SignIn } from '../core/sessions/sign-in.js';
import { SignUpCompletion } from '../core/sign-ups/sign-up-completion.js';
import { UnfinishedSignUps } from '../core/sign-ups/unfinished-sign-ups.js';
import { SignUpPolicy } from '../core/sign-ups/sign-up-policy.js';
import { Statistics } from '../core/support/statistics.js';
import { SmsMailer } from '../core/mail/sms-mailer.js';
import type { Toolkit } from '../core/toolkit.js';
import { clearStorage } from './clear-storage.js';
import { sessionCacheOf } from './session-cache.js';
import { countEvents } from './statistics/count-events.js';
import { instrument } from './telemetry/instrument.js';
import { openTelemetry } from './telemetry/open-telemetry.js';
import { Usernames } from '../core/sign-ups/usernames.js';
import { UserDeletion } from '../core/sessions/user-deletion.js';
import {
  importConfigurationOf,
  inviteLinksOf,
  offeredSecondFactors,
  providersLinkingByEmail,
  secondFactorMailOf,
  signInMethods,
} from './provider-options.js';
import {
  auditOf,
  bearerOf,
  boundSessionsOf,
  challengesOf,
  databaseClockOf,
  oldSessionsOf,
  trustedBrowsersOf,
} from './toolkit-parts.js';

export function createToolkit(config: ParsedConfig): Toolkit {
  const { session, rateLimit, providers } = config;
  const logger = safeLogger(config.logger ?? consoleLogger);
  const databaseClock = databaseClockOf(config, logger);
  const clock = databaseClock?.now ?? config.clock;
  const keys = createKeyring(session.secret, session.previousSecrets);
  const {
    changes: sessionChanges,
    sessionCache,
    storage: impatient,
  } = sessionCacheOf(config, { clock, keys });
  const storage = patientStorage(impatient);
  const counting = countingStorage(storage, rateLimit.store, logger);
  const events = new EventBus(logger);
  const actingRequests = new ActingRequests(config.audit !== false);
  const audit = auditOf(config, storage, { clock, keys, logger });
  const changes = new Changes(events, actingRequests, clock, audit);
  const limiter = new Limiter(counting, keys, clock, reportUncorrected(logger), limitExceeded(events));
  const userDataHandlers = new UserDataHandlers();
  const tokens = new SessionTokens(keys, session, clock);
  const checks = new SessionChecks(
    impatient,
    tokens,
    session.renewAfterMs,
    clock,
    sessionCache,
    refusedSessions(events, clock),
  );
  const trustedBrowsers = trustedBrowsersOf(config, clock, changes);
  const sessions = new Sessions(storage, tokens, checks, session, clock, changes);
  const secondFactor = new SecondFactor(storage, keys, limiter, clock, offeredSecondFactors(providers));
  const bearer = bearerOf(session, storage, { changes, clock, keys, logger, sessions });
  const brand = resolveBrand(config.brand, config.appName);
  const languages = new Languages(config.languages, brand, logger);
  const mailer = new Mailer(brand.name, languages, logger);
  const background = new BackgroundWork(logger, clock, config.background);
  const locate = placesOf(config.locate, logger);
  const notMeLinks = new NotMeLinks(config.notices?.baseUrl, { changes, clock, keys, logger, storage });
  const notices = new Notices({ background, clock, locate, mailer, notMeLinks });
  const knownDevices = new KnownDevices(keys, clock);
  const accountNotices = new AccountNotices(config.notices, {
    ...{ background, knownDevices, limiter, logger, notices },
    users: storage.users,
  });
  const signIn = new SignIn(
    storage.users,
    sessions,
    secondFactor,
    logger,
    changes,
    clock,
    bearer,
    trustedBrowsers,
    accountNotices,
  );
  const orgs = providers.orgs ? (storage.orgs ?? null) : null;
  const allowUnverified = providers.orgs?.allowUnverified === true;
  const invites = new InvitedSignUps(orgs, allowUnverified, keys, clock);
  const mailedTokens = new MailedTokens(storage.singleUseTokens, keys, clock);
  const unfinished = new UnfinishedSignUps(mailedTokens);
  const signUpPolicy = new SignUpPolicy(config.signUp, storage.users, invites, unfinished, clock, logger);
  const limits = { send: rateLimit, login: rateLimit.login, signUp: rateLimit.signUp };
  const codes = new OneTimeCodes(
    storage.oneTimeCodes,
    counting.fastPaths,
    keys,
    limiter,
    config.code,
    clock,
    codeFailed(events),
  );
  const smsMailer = new SmsMailer(languages, logger);
  const codeMailer = new CodeMailer(mailer, clock, events);
  const telemetry = config.telemetry ? openTelemetry() : null;
  if (telemetry) instrument(telemetry, { background, checks, limiter, mailer, signIn, smsMailer });
  const statistics = config.statistics
    ? new Statistics(capability(storage, 'statistics'), clock, logger)
    : null;
  if (statistics) countEvents(statistics, { events, limiter, mailer, sessions, signIn, smsMailer });
  const { users } = storage;
  const verification = { changes, users, clock, codeMailer, codes, limiter, limits, logger };
  const accountLimits = new AccountLimits(limiter, knownDevices, storage.users, limits, logger);
  const ownUrls = [providers.magicLink?.baseUrl, providers.emailPassword?.resetUrl].filter(
    (url) => url !== undefined,
  );
  const bringLegacyUser = (email: string) => legacyUsers.bring({ email });
  const mailboxProof = new MailboxProof(
    storage.users,
    signIn,
    signUpPolicy,
    clock,
    logger,
    changes,
    bringLegacyUser,
  );
  const usernames = new Usernames(config.usernames);
  const encryptionKeys =
    config.encryptionKey === undefined
      ? null
      : createKeyring(config.encryptionKey, config.previousEncryptionKeys);
  const imports = new UserImports({
    ...{ changes, clock, storage },
    record: {
      hasher: providers.emailPassword?.hasher,
      usernames,
      factorKeys: providers.totp ? encryptionKeys : null,
      languages: languages.offered,
    },
    configured: importConfigurationOf(config),
    logClaim: (userId) => mailboxProof.logClaim(userId),
  });
  const legacyUsers = new LegacyUsers(providers.emailPassword?.legacy, imports, storage, logger);
  return {
    accountLimits,
    accountNotices,
    actingRequests,
    audit,
    addressVerification: new AddressVerification(verification),
    bearer,
    background,
    brand,
    challenges: challengesOf(config, { keys, limiter, clock }),
    changes,
    clock,
    codeMailer,
    codes,
    encryptionKeys,
    userDataHandlers,
    databaseClock,
    events,
    exports: new UserExports({ clock, storage, encryptionKeys }),
    formTokens: new FormTokens(keys),
    guestUpgrades: new GuestUpgrades(storage, signUpPolicy, clock, changes),
    imports,
    inviteLinks: inviteLinksOf(providers),
    keys,
    knownDevices,
    languages,
    legacyUsers,
    limiter,
    limits,
    linkBrowsers: new LinkBrowsers(keys),
    linkTargets: new LinkTargets([...ownUrls, ...config.trustedOrigins]),
    locate,
    lockdowns: new Lockdowns(storage, clock, changes),
    logger,
    mailboxProof,
    mailedTokens,
    mailer,
    newPasswords: new NewPasswords(providers.emailPassword, brand.name, logger),
    notices,
    notMeLinks,
    phoneNotices: new PhoneNotices(providers.phoneOtp?.notices, notices, accountNotices),
    profiles: new Profiles(config.profiles, [...config.usernames.reserved, brand.name]),
    secondFactor,
    secondFactorMail: secondFactorMailOf(providers),
    sessionCache,
    sessions,
    signIn,
    signInMethods: signInMethods(providers),
    signUpCompletion: new SignUpCompletion(storage, changes, signIn, signUpPolicy, unfinished, clock),
    signUpPolicy,
    statistics,
    storage,
    smsMailer,
    telemetry,
    trustedBrowsers,
    usernameOwners: new UsernameOwners(storage, legacyUsers),
    usernames,
    userDeletion: new UserDeletion(storage, userDataHandlers, clock, logger, changes),
    verifiedProviders: providersLinkingByEmail(providers),
    watchedSessions: new WatchedSessions({
      authenticate: (token) => checks.authenticate(token),
      verifyClaims: (token) => tokens.verifyClaims(token),
      storage: impatient,
      changes: sessionChanges,
      unverifiedGraceMs: unverifiedGraceMsOf(providers),
      ...{ clock, logger },
    }),
  };
}

/** Returns what the router and the guards use. */
export function createInternals(
  { providers, session, signUp }: ParsedConfig,
  toolkit: Toolkit,
  existing: ExistingSignIns,
): ServiceInternals {
  const {
    changes,
    clock,
    events,
    formTokens,
    knownDevices,
    locate,
    languages,
    limiter,
    linkTargets,
    logger,
    sessions,
  } = toolkit;
  return {
    bearer: toolkit.bearer.tokens,
    dpopKeys: toolkit.bearer.keys,
    boundSessions: boundSessionsOf(session, toolkit),
    watchedSessions: toolkit.watchedSessions,
    actingRequests: toolkit.actingRequests,
    brand: toolkit.brand,
    changes,
    clear: () => clearStorage(toolkit),
    clock,
    consents: {},
    cookie: session.cookie,
    createdRouters: new Set(),
    events,
    existing,
    formTokens,
    keys: toolkit.keys,
    knownDevices,
    locate,
    languages,
    limiter,
    linkTargets,
    logger,
    oldSessions: oldSessionsOf(session, toolkit),
    requireSecondFactor: (user, method) => toolkit.secondFactor.require(user, method),
    async signInForApplication(userId, context, asksSecondFactor) {
      const user = await unblockedUser(toolkit.storage.users, userId, clock());
      const { signIn } = toolkit;
      return asksSecondFactor
        ? signIn.completeSignIn('application', user, false, context)
        : signIn.startForApplication(user, context);
    },
    notMeLinks: toolkit.notMeLinks,
    mayCreateOrgs: (roles) => providers.orgs !== undefined && isCreator(roles, providers.orgs.create),
    pageTargets: {},
    async pendingSecondStep(token) {
      const { user, method } = await toolkit.secondFactor.open(token);
      return { email: user.email, ...(await toolkit.secondFactor.methodsOf(user, method)) };
    },
    profiles: toolkit.profiles,
    reported: new Set(),
    readResetLink: (token) => readResetLink(toolkit.mailedTokens, toolkit.storage.users, token),
    sessions,
    signUpFields: signUp.fields,
    storage: toolkit.storage,
    trustsBrowsers: toolkit.trustedBrowsers !== null,
    trustDays: providers.totp?.trustedBrowsers?.days ?? null,
    unverifiedGraceMs: unverifiedGraceMsOf(providers),
    users: toolkit.storage.users,
  };
}

/** Null if an unverified address is not refused. */
function unverifiedGraceMsOf({ emailPassword }: ParsedConfig['providers']): number | null {
  return emailPassword?.verifyEmail === 'require' ? (emailPassword.verifyGraceMs ?? 0) : null;
}
