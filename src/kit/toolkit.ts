/** What providers are made of. Each names the tools it uses with a `Pick` of this: its list of dependencies. */
import type { Keyring } from '../crypto/keys.js';
import type { StorageAdapter } from '../storage/adapter.js';
import type { AccountLimits } from './account-limits.js';
import type { BackgroundWork } from './background-work.js';
import type { LoginLimits, SignUpLimits } from './budgets.js';
import type { SendLimits } from './send-budgets.js';
import type { Clock } from './clock.js';
import type { Contributors } from './contributors.js';
import type { DatabaseClock } from './database-clock.js';
import type { EventBus } from './events.js';
import type { GuestUpgrades } from './guest-upgrades.js';
import type { KnownDevices } from './known-devices.js';
import type { Limiter } from './limiter.js';
import type { LinkTargets } from './link-targets.js';
import type { Logger } from './logger.js';
import type { MailboxProof } from './mailbox-proof.js';
import type { MailedTokens } from './mailed-tokens.js';
import type { Mailer } from './mailer.js';
import type { OneTimeCodes } from './one-time-codes.js';
import type { SecondFactor } from './second-factor.js';
import type { Sessions } from './sessions.js';
import type { SignIn } from './sign-in.js';
import type { SignInMethods } from './sign-in-methods.js';
import type { Texter } from './texter.js';
import type { UserDeletion } from './user-deletion.js';

export interface Toolkit {
  readonly accountLimits: AccountLimits;
  readonly background: BackgroundWork;
  readonly clock: Clock;
  readonly codes: OneTimeCodes;
  readonly contributors: Contributors;
  /** Behind `clock`. Null if the application has set a clock, or the adapter has none. */
  readonly databaseClock: DatabaseClock | null;
  readonly events: EventBus;
  /** Of `encryptionKey`; null where there is none. */
  readonly encryptionKeys: Keyring | null;
  readonly guestUpgrades: GuestUpgrades;
  readonly keys: Keyring;
  readonly knownDevices: KnownDevices;
  readonly limiter: Limiter;
  readonly limits: { send: SendLimits; login: LoginLimits | false; signUp: SignUpLimits | false };
  readonly linkTargets: LinkTargets;
  readonly logger: Logger;
  readonly mailboxProof: MailboxProof;
  readonly mailedTokens: MailedTokens;
  readonly mailer: Mailer;
  readonly secondFactor: SecondFactor;
  readonly sessions: Sessions;
  readonly signIn: SignIn;
  readonly signInMethods: SignInMethods;
  readonly storage: StorageAdapter;
  readonly texter: Texter;
  readonly userDeletion: UserDeletion;
  /** Names of the identity providers whose word on an address the engine itself has checked. */
  readonly verifiedProviders: ReadonlySet<string>;
}
