/** The results of the methods. A test compares each with the schema of the route's response. */
import type { AuditActivity, AuditRecord } from '../domain/audit.js';
import type { PublicApiKey } from '../domain/api-key.js';
import type { ConnectedApp } from '../domain/connected-app.js';
import type { PublicCredential } from '../domain/credential.js';
import type { ServiceIdentity } from '../domain/identity.js';
import type { Org, OrgInvite, OrgMembership, OrgRole } from '../domain/org.js';
import type { PublicRefreshFamily } from '../domain/refresh-family.js';
import type { SignedInDevice } from '../domain/signed-in-device.js';
import type { SecondFactorMethod } from '../domain/second-factor.js';
import type { DeviceSession } from '../domain/session.js';
import type { TrustedBrowser } from '../domain/trusted-browser.js';
import type { UserRecord } from '../domain/user-record.js';
import type { ServiceUser } from '../domain/user.js';

export type { PasskeySignals } from '../domain/credential.js';

export interface Ok {
  ok: true;
}

export interface WithUser {
  user: ServiceUser;
}

/** A sign-up with a password. The service either creates the account, or mails a code first. */
export type SignedUp =
  | (WithUser & { expiresAt?: undefined })
  | (CodeSent & {
      user?: undefined;
      /** Only with the option `bearer`: pass its token to `finishSignup`. */
      pending?: { token: string; expiresAt: Date };
    });

export interface SignedIn extends WithUser {
  /** Whether this sign-in created the user. */
  created: boolean;
}

export interface Sent {
  /** When the code or the link expires. */
  expiresAt: Date;
}

export interface CodeSent extends Sent {
  /** Present if the code has ten letters instead of digits: strangers have made too many wrong guesses at codes of this address. */
  codeFormat?: 'letters';
}

export interface LinkSent extends CodeSent {
  /** When the code of the same mail expires. Present if the service sends one. */
  codeExpiresAt?: Date;
}

export interface WithUsername {
  username: string | null;
}

export interface ResetRequested {
  sent: true;
}

/** How a sign-in can be completed. */
export interface PendingSignIn {
  /** Never empty. */
  methods: SecondFactorMethod[];
  /** The one of `methods` to offer first. */
  preferred: SecondFactorMethod;
  expiresAt: Date;
}

export interface SecondStep extends WithUser {
  /** After a sign-in with a recovery code. */
  recoveryCodesLeft?: number;
}

export interface SecondFactor {
  enabled: boolean;
  methods: SecondFactorMethod[];
  preferred: SecondFactorMethod;
  /** Whether you have chosen codes by email. */
  email: boolean;
}

/** An authenticator app. */
export interface TotpApp {
  id: string;
  name: string | null;
  createdAt: Date;
  lastUsedAt: Date | null;
}

export interface TotpApps {
  apps: TotpApp[];
}

export interface NewTotpApp {
  app: TotpApp;
  /** With the first app. No later response contains them. */
  recoveryCodes?: string[];
}

export interface TrustedBrowsers {
  trustedBrowsers: (TrustedBrowser & {
    /** Whether it is this browser. */
    current: boolean;
  })[];
}

export interface TotpState {
  enabled: boolean;
  recoveryCodesLeft: number;
}

export interface TotpEnrollment {
  secret: string;
  /** `otpauth://…`, for a QR code. */
  uri: string;
}

export interface RecoveryCodes {
  /** No later response contains them. */
  recoveryCodes: string[];
}

/** The applications to which you have given access. */
export interface ConnectedApps {
  apps: ConnectedApp[];
}

/** What has happened to your account, newest first. */
export interface Activity extends WithNextCursor {
  activity: AuditActivity[];
}

/** Records of the audit log, newest first. */
export interface AuditRecords extends WithNextCursor {
  records: AuditRecord[];
}

/** One page of a list. */
export interface WithNextCursor {
  /** `cursor` of the next page; null on the last page. */
  nextCursor: string | null;
}

export interface Devices extends WithNextCursor {
  devices: DeviceSession[];
}

/** The sessions of a user, for administrators. */
export interface Sessions extends WithNextCursor {
  sessions: DeviceSession[];
}

export interface RefreshFamilies extends WithNextCursor {
  families: PublicRefreshFamily[];
}

export interface Passkeys extends WithNextCursor {
  passkeys: PublicCredential[];
}

export interface AccountDeleted extends Ok {
  /** The passkeys of the account, which the browser can remove. Present if the service has passkeys. */
  passkeys?: { rpId: string; userId: string };
}

export interface WithPasskey {
  passkey: PublicCredential;
}

/** The options for `navigator.credentials`, as JSON. */
export interface Ceremony {
  options: Record<string, unknown>;
}

/** The credential that the browser returned, in the format of `@simplewebauthn/browser`. */
export interface CeremonyResponse {
  response: object;
}

/** As `CeremonyResponse`, with a name by which the user recognizes the new passkey. */
export interface NewPasskeyResponse extends CeremonyResponse {
  name?: string;
}

/** The URL to send the browser to. */
export interface RedirectUrl {
  url: string;
}

/** Browsers, apps and trusted browsers. */
export interface AllDevices extends WithNextCursor {
  devices: SignedInDevice[];
}

/** A phone number of the account. */
export interface Phone {
  id: string;
  /** In E.164. */
  phone: string;
  createdAt: Date;
}

export interface WithPhone {
  phone: Phone;
}

export interface Phones {
  phones: Phone[];
}

export interface Identities {
  identities: ServiceIdentity[];
}

export interface ApiKeys extends WithNextCursor {
  apiKeys: PublicApiKey[];
}

export interface CreatedApiKey {
  /** No later response contains it. */
  key: string;
  record: PublicApiKey;
}

export interface WithMembership {
  membership: OrgMembership;
}

export interface WithOrg extends WithMembership {
  org: Org;
}

export interface ChangedOrg {
  org: Org;
}

export interface Orgs extends WithNextCursor {
  orgs: WithOrg[];
}

export interface OrgMembers extends WithNextCursor {
  /**
   * `name` is what the user is called, `picture` a URL or path that the application allows; null if there is none. `email` is the verified
   * address or null. Only admins and owners get it.
   */
  members: (OrgMembership & { name: string | null; picture: string | null; email?: string | null })[];
}

export interface OrgInvites extends WithNextCursor {
  invites: OrgInvite[];
}

/** The invite of a token. Both addresses are masked. */
export interface InvitePreview {
  organization: { name: string; slug: string };
  /** Null if the system sent the invite, or the inviter's address is unverified. */
  inviter: string | null;
  email: string;
  role: OrgRole;
  expiresAt: Date;
}

export interface WithInvite {
  invite: OrgInvite;
}

/** What a settings page needs to know. */
export interface Account extends WithUser {
  hasPassword: boolean;
  isGuest: boolean;
  /** Language tag of the language that the user has chosen. */
  language: string | null;
  /** The tags that the user can choose. */
  languages: string[];
}

export interface Language {
  language: string | null;
}

export interface SentIfNeeded {
  /** Null if the address is verified already, so that nothing was sent. */
  expiresAt: Date | null;
}

export interface ChangeSent extends Sent {
  /** Whether a code was also sent to the current address. `confirmEmail` then requires it. */
  currentCodeSent: boolean;
}

/** A user as administrators see it. */
export interface WithUserRecord {
  user: UserRecord;
}

export interface Users extends WithNextCursor {
  users: UserRecord[];
}

export interface UserCount {
  /** Exact up to 10,000. */
  count: number | { atLeast: number };
}

export interface Lockdown {
  /** How many users it concerned; null for all users. */
  users: number | null;
}

export type StatisticsRange = 'day' | 'month' | 'year';

export interface StatisticsReport {
  range: StatisticsRange;
  /** Oldest first, in UTC: hours such as `2031-05-06T07`, days, or months. */
  periods: string[];
  /** One number for each of the periods. */
  series: { name: string; label: string; counts: number[] }[];
  /** Users who were active in this day, month and year so far. */
  activeUsers: Record<StatisticsRange, number>;
}

export interface InvitedUser extends WithUserRecord {
  /** Whether this invite created the user. */
  created: boolean;
  /** When the mailed link expires. */
  expiresAt: Date;
}
