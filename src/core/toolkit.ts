/** The tools of providers. Each provider lists its dependencies as a `Pick` of them. */
import type { Keyring } from '../crypto/keys.js';
import type { StorageAdapter } from '../storage/adapter.js';
import type { AuditRepository } from '../storage/audit-repository.js';
import type { FailureRecorder } from './audit/failures.js';
import type { Sealer } from './audit/sealer.js';
import type { AuditRecords } from './support/audit-records.js';
import type { AccountLimits } from './limits/account-limits.js';
import type { ActingRequests } from './support/acting-requests.js';
import type { BackgroundWork } from './queues/background-work.js';
import type { Changes } from './support/changes.js';
import type { Challenges } from './limits/challenges.js';
import type { LoginLimits, SignUpLimits } from './limits/rate-limits.js';
import type { SendLimits } from './limits/send-limits.js';
import type { Brand } from './support/brand.js';
import type { Clock } from './support/clock.js';
import type { UserDataHandlers } from './support/user-data.js';
import type { DatabaseClock } from './support/database-clock.js';
import type { EventBus } from './support/events.js';
import type { FormTokens } from './sessions/form-tokens.js';
import type { GuestUpgrades } from './sign-ups/guest-upgrades.js';
import type { KnownDevices } from './limits/known-devices.js';
import type { Limiter } from './limits/limiter.js';
import type { Languages } from './mail/languages.js';
import type { LinkBrowsers } from './mail/link-browsers.js';
import type { LinkTargets } from './support/link-targets.js';
import type { FindPlace } from './support/locations.js';
import type { Logger } from './support/logger.js';
import type { AddressVerification } from './mail/address-verification.js';
import type { CodeMail, CodeMailer } from './mail/code-mailer.js';
import type { MailboxProof } from './sign-ups/mailbox-proof.js';
import type { MailedTokens } from './mail/mailed-tokens.js';
import type { Mailer, MailOptions } from './mail/mailer.js';
import type { AccountNotices } from './mail/account-notices.js';
import type { Notices } from './mail/notices.js';
import type { NotMeLinks } from './mail/not-me-links.js';
import type { PhoneNotices } from './mail/phone-notices.js';
import type { NewPasswords } from './passwords/new-passwords.js';
import type { OneTimeCodes } from './mail/one-time-codes.js';
import type { BearerSessions } from './sessions/bearer-sessions.js';
import type { SecondFactor } from './sessions/second-factor.js';
import type { CheckedSessions } from './sessions/session-cache.js';
import type { Sessions } from './sessions/sessions.js';
import type { SignIn } from './sessions/sign-in.js';
import type { SignUpCompletion } from './sign-ups/sign-up-completion.js';
import type { SignUpPolicy } from './sign-ups/sign-up-policy.js';
import type { EnabledSignIns } from './sessions/sign-in-methods.js';
import type { Lockdowns } from './sessions/lockdowns.js';
import type { WatchedSessions } from './sessions/watched-sessions.js';
import type { SmsMailer } from './mail/sms-mailer.js';
import type { TrustedBrowsers } from './sessions/trusted-browsers.js';
import type { Profiles } from './support/profiles.js';
import type { Statistics } from './support/statistics.js';
import type { Telemetry } from './support/telemetry.js';
import type { Usernames } from './sign-ups/usernames.js';
import type { LegacyUsers } from './imports/legacy-users.js';
import type { UsernameOwners } from './imports/username-owners.js';
import type { UserExports } from './imports/user-exports.js';
import type { UserImports } from './imports/user-imports.js';
import type { UserDeletion } from './sessions/user-deletion.js';

/** How invited users set up their account: with a reset link, or with a magic link. */
export interface InviteLinks {
  purpose: 'password_reset' | 'magic_link';
  url: string;
  mailOptions: MailOptions;
}

/** The parts of the audit log. */
export interface Audit {
  readonly failures: FailureRecorder;
  readonly records: AuditRecords;
  readonly repository: AuditRepository;
  readonly sealer: Sealer;
}

export interface Toolkit {
  readonly actingRequests: ActingRequests;
  /** Null without the option `audit`. */
  readonly audit: Audit | null;
  readonly accountLimits: AccountLimits;
  readonly addressVerification: AddressVerification;
  readonly bearer: BearerSessions;
  readonly background: BackgroundWork;
  /** How pages and mails show the product. */
  readonly brand: Brand;
  /** Passes every request without `signUp.challenge`. */
  readonly challenges: Challenges;
  readonly changes: Changes;
  readonly clock: Clock;
  readonly codeMailer: CodeMailer;
  readonly codes: OneTimeCodes;
  readonly userDataHandlers: UserDataHandlers;
  /** The clock behind `clock`. Null if the application has configured a clock, or the adapter has none. */
  readonly databaseClock: DatabaseClock | null;
  readonly events: EventBus;
  /** Keys derived from `encryptionKey`. Null if it is not configured. */
  readonly encryptionKeys: Keyring | null;
  readonly formTokens: FormTokens;
  readonly guestUpgrades: GuestUpgrades;
  /** The export of all users. */
  readonly exports: UserExports;
  /** The import of users of another system. */
  readonly imports: UserImports;
  /** Null if neither passwords with a `resetUrl` nor magic links are configured. */
  readonly inviteLinks: InviteLinks | null;
  readonly keys: Keyring;
  readonly languages: Languages;
  readonly knownDevices: KnownDevices;
  /** Users who are still in another system only. */
  readonly legacyUsers: LegacyUsers;
  readonly limiter: Limiter;
  readonly limits: { send: SendLimits; login: LoginLimits | false; signUp: SignUpLimits | false };
  readonly linkBrowsers: LinkBrowsers;
  readonly linkTargets: LinkTargets;
  /** Null for every address without the option `locate`. */
  readonly locate: FindPlace;
  readonly lockdowns: Lockdowns;
  readonly logger: Logger;
  readonly mailboxProof: MailboxProof;
  readonly mailedTokens: MailedTokens;
  readonly mailer: Mailer;
  readonly newPasswords: NewPasswords;
  readonly accountNotices: AccountNotices;
  readonly notices: Notices;
  readonly notMeLinks: NotMeLinks;
  readonly phoneNotices: PhoneNotices;
  readonly profiles: Profiles;
  readonly secondFactor: SecondFactor;
  /** Mails the codes of the second step. Null without `totp.email`. */
  readonly secondFactorMail: CodeMail | null;
  /** Null without `session.cache`. */
  readonly sessionCache: CheckedSessions | null;
  readonly sessions: Sessions;
  readonly signIn: SignIn;
  readonly signInMethods: EnabledSignIns;
  readonly signUpCompletion: SignUpCompletion;
  readonly signUpPolicy: SignUpPolicy;
  /** Null without the option `statistics`. */
  readonly statistics: Statistics | null;
  readonly storage: StorageAdapter;
  readonly smsMailer: SmsMailer;
  /** Null without the option `telemetry`. */
  readonly telemetry: Telemetry | null;
  /** Null without `totp.trustedBrowsers`. */
  readonly trustedBrowsers: TrustedBrowsers | null;
  readonly userDeletion: UserDeletion;
  readonly usernameOwners: UsernameOwners;
  readonly usernames: Usernames;
  readonly watchedSessions: WatchedSessions;
  /** Names of the identity providers whose `email_verified` is trusted for existing accounts. */
  readonly verifiedProviders: ReadonlySet<string>;
}
