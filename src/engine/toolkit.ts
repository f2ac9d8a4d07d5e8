/** Makes the tools out of a configuration. */
import type { ParsedConfig } from '../config/schema.js';
import { createKeyring } from '../crypto/keys.js';
import { BackgroundWork } from '../kit/background-work.js';
import { Contributors } from '../kit/contributors.js';
import { EventBus } from '../kit/events.js';
import { GuestUpgrades } from '../kit/guest-upgrades.js';
import { Limiter } from '../kit/limiter.js';
import { LinkTargets } from '../kit/link-targets.js';
import { quietly, silentLogger } from '../kit/logger.js';
import { MailboxProof } from '../kit/mailbox-proof.js';
import { MailedTokens } from '../kit/mailed-tokens.js';
import { Mailer } from '../kit/mailer.js';
import { OneTimeCodes } from '../kit/one-time-codes.js';
import { SecondFactor } from '../kit/second-factor.js';
import { SessionTokens } from '../kit/session-tokens.js';
import { Sessions } from '../kit/sessions.js';
import { sharedCounters } from '../kit/shared-counters.js';
import { SignIn } from '../kit/sign-in.js';
import { Texter } from '../kit/texter.js';
import type { Toolkit } from '../kit/toolkit.js';
import { UserDeletion } from '../kit/user-deletion.js';

export function createToolkit(config: ParsedConfig): Toolkit {
  const { adapter: storage, session, clock, rateLimit, providers } = config;
  const logger = config.logger ? quietly(config.logger) : silentLogger;
  const keys = createKeyring(session.secret, session.previousSecrets);
  const counters = rateLimit.store ? sharedCounters(rateLimit.store) : storage.rateLimits;
  const limiter = new Limiter(counters, keys, clock);
  const events = new EventBus(logger);
  const contributors = new Contributors();
  const sessions = new Sessions(storage, new SessionTokens(keys, session, clock), session, clock, events);
  const secondFactor = new SecondFactor(storage.users, keys, limiter, clock);
  const signIn = new SignIn(sessions, secondFactor, logger, events);
  const ownUrls = [providers.magicLink?.baseUrl, providers.emailPassword?.resetUrl].filter(
    (url) => url !== undefined,
  );
  return {
    background: new BackgroundWork(logger),
    clock,
    codes: new OneTimeCodes(storage.oneTimeCodes, keys, limiter, config.code, clock),
    encryptionKeys:
      config.encryptionKey === undefined
        ? null
        : createKeyring(config.encryptionKey, config.previousEncryptionKeys),
    contributors,
    events,
    guestUpgrades: new GuestUpgrades(storage, clock, events),
    keys,
    limiter,
    limits: { send: rateLimit, login: rateLimit.login },
    linkTargets: new LinkTargets([...ownUrls, ...config.trustedOrigins]),
    logger,
    mailboxProof: new MailboxProof(storage.users, signIn, clock, logger, events),
    mailedTokens: new MailedTokens(storage.singleUseTokens, keys, clock),
    mailer: new Mailer(config.appName, logger),
    secondFactor,
    sessions,
    signIn,
    storage,
    texter: new Texter(config.appName, logger),
    userDeletion: new UserDeletion(storage, contributors, clock, logger, events),
    verifiedProviders: trustedWithAddresses(providers),
  };
}

/** Providers whose word on an address counts for accounts that are here already: `linking` says so, and Google's is that. */
function trustedWithAddresses({ google, oauth = {} }: ParsedConfig['providers']): Set<string> {
  const named = Object.entries(oauth).filter(([, { linking }]) => linking === 'verified-email');
  return new Set([...(google ? ['google'] : []), ...named.map(([name]) => name)]);
}
