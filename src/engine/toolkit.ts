/** Makes the tools out of a configuration. */
import type { ParsedConfig } from '../config/schema.js';
import { createKeyring } from '../crypto/keys.js';
import { phoneProvider } from '../domain/identity.js';
import { AccountLimits } from '../kit/account-limits.js';
import { BackgroundWork } from '../kit/background-work.js';
import { Contributors } from '../kit/contributors.js';
import { DatabaseClock } from '../kit/database-clock.js';
import { EventBus } from '../kit/events.js';
import { GuestUpgrades } from '../kit/guest-upgrades.js';
import { KnownDevices } from '../kit/known-devices.js';
import { Limiter } from '../kit/limiter.js';
import { LinkTargets } from '../kit/link-targets.js';
import { consoleLogger, quietly, type Logger } from '../kit/logger.js';
import { MailboxProof } from '../kit/mailbox-proof.js';
import { MailedTokens } from '../kit/mailed-tokens.js';
import { Mailer } from '../kit/mailer.js';
import { OneTimeCodes } from '../kit/one-time-codes.js';
import { SecondFactor } from '../kit/second-factor.js';
import { SessionTokens } from '../kit/session-tokens.js';
import { Sessions } from '../kit/sessions.js';
import { sharedCounters } from '../kit/shared-counters.js';
import { SignIn } from '../kit/sign-in.js';
import type { SignInMethods } from '../kit/sign-in-methods.js';
import { Texter } from '../kit/texter.js';
import type { Toolkit } from '../kit/toolkit.js';
import { UserDeletion } from '../kit/user-deletion.js';

export function createToolkit(config: ParsedConfig): Toolkit {
  const { adapter: storage, session, rateLimit, providers } = config;
  const logger = quietly(config.logger ?? consoleLogger);
  const databaseClock = databaseClockOf(config, logger);
  const clock = databaseClock?.now ?? config.clock;
  const keys = createKeyring(session.secret, session.previousSecrets);
  const counters = rateLimit.store ? sharedCounters(rateLimit.store) : storage.rateLimits;
  const limiter = new Limiter(counters, keys, clock);
  const events = new EventBus(logger);
  const contributors = new Contributors();
  const sessions = new Sessions(storage, new SessionTokens(keys, session, clock), session, clock, events);
  const secondFactor = new SecondFactor(storage.users, keys, limiter, clock);
  const signIn = new SignIn(sessions, secondFactor, logger, events);
  const limits = { send: rateLimit, login: rateLimit.login, signUp: rateLimit.signUp };
  const knownDevices = new KnownDevices(keys, clock);
  const accountLimits = new AccountLimits(limiter, knownDevices, storage.users, limits, logger);
  const ownUrls = [providers.magicLink?.baseUrl, providers.emailPassword?.resetUrl].filter(
    (url) => url !== undefined,
  );
  return {
    accountLimits,
    background: new BackgroundWork(logger, clock),
    clock,
    codes: new OneTimeCodes(storage.oneTimeCodes, keys, limiter, config.code, clock),
    encryptionKeys:
      config.encryptionKey === undefined
        ? null
        : createKeyring(config.encryptionKey, config.previousEncryptionKeys),
    contributors,
    databaseClock,
    events,
    guestUpgrades: new GuestUpgrades(storage, clock, events),
    keys,
    knownDevices,
    limiter,
    limits,
    linkTargets: new LinkTargets([...ownUrls, ...config.trustedOrigins]),
    logger,
    mailboxProof: new MailboxProof(storage.users, signIn, accountLimits, clock, logger, events),
    mailedTokens: new MailedTokens(storage.singleUseTokens, keys, clock),
    mailer: new Mailer(config.appName, logger),
    secondFactor,
    sessions,
    signIn,
    signInMethods: signInMethods(providers),
    storage,
    texter: new Texter(config.appName, logger),
    userDeletion: new UserDeletion(storage, contributors, clock, logger, events),
    verifiedProviders: trustedWithAddresses(providers),
  };
}

/** A clock that the application has set is the time: tests move it, and no database could follow. */
function databaseClockOf({ adapter, clock }: ParsedConfig, logger: Logger): DatabaseClock | null {
  // eslint-disable-next-line no-restricted-properties -- is it the default of the schema?
  if (clock !== Date.now || !adapter.currentTime) return null;
  return new DatabaseClock(clock, async () => (await adapter.currentTime?.()) ?? Number.NaN, logger);
}

/** Providers whose word on an address counts for accounts that are here already: `linking` says so, and Google's is that. */
function trustedWithAddresses({ google, oauth = {} }: ParsedConfig['providers']): Set<string> {
  const named = Object.entries(oauth).filter(([, { linking }]) => linking === 'verified-email');
  return new Set([...(google ? ['google'] : []), ...named.map(([name]) => name)]);
}

function signInMethods(providers: ParsedConfig['providers']): SignInMethods {
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
