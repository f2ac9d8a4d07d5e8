/** What the methods resolve. A test compares each with the schema of the route's answer. */
import type { PublicApiKey } from '../domain/api-key.js';
import type { PublicCredential } from '../domain/credential.js';
import type { ServiceIdentity } from '../domain/identity.js';
import type { Org, OrgInvite, OrgMembership, OrgRole } from '../domain/org.js';
import type { PublicRefreshFamily } from '../domain/refresh-family.js';
import type { DeviceSession } from '../domain/session.js';
import type { ServiceUser } from '../domain/user.js';

export interface Ok {
  ok: true;
}

export interface WithUser {
  user: ServiceUser;
}

export interface SignedIn extends WithUser {
  /** True when this sign-in created the user. */
  created: boolean;
}

export interface Sent {
  /** When the code or the link ends. */
  expiresAt: Date;
}

export interface ResetRequested {
  sent: true;
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
  /** Shown this once. */
  recoveryCodes: string[];
}

/** One page of a list. */
export interface WithNextCursor {
  /** `cursor` of the next page; null on the last page. */
  nextCursor: string | null;
}

export interface Devices extends WithNextCursor {
  devices: DeviceSession[];
}

export interface RefreshFamilies extends WithNextCursor {
  families: PublicRefreshFamily[];
}

export interface Passkeys extends WithNextCursor {
  passkeys: PublicCredential[];
}

export interface WithPasskey {
  passkey: PublicCredential;
}

/** What `navigator.credentials` is asked with, as JSON. */
export interface Ceremony {
  options: Record<string, unknown>;
}

/** The browser's answer to it, as `@simplewebauthn/browser` returns it. */
export interface CeremonyAnswer {
  response: object;
}

/** Where to send the browser. */
export interface RedirectUrl {
  url: string;
}

export interface Identities {
  identities: ServiceIdentity[];
}

export interface ApiKeys extends WithNextCursor {
  apiKeys: PublicApiKey[];
}

export interface CreatedApiKey {
  /** Shown this once. */
  key: string;
  record: PublicApiKey;
}

export interface WithMembership {
  membership: OrgMembership;
}

export interface WithOrg extends WithMembership {
  org: Org;
}

export interface Orgs extends WithNextCursor {
  orgs: WithOrg[];
}

export interface OrgMembers extends WithNextCursor {
  /** With the verified address, or null, if an admin asks. */
  members: (OrgMembership & { email?: string | null })[];
}

export interface OrgInvites extends WithNextCursor {
  invites: OrgInvite[];
}

/** What an invite's token reveals. Both addresses are masked. */
export interface InvitePreview {
  organization: { name: string; slug: string };
  /** Null if the system invited, or the inviter's address is unverified. */
  inviter: string | null;
  email: string;
  role: OrgRole;
  expiresAt: Date;
}

export interface WithInvite {
  invite: OrgInvite;
}

/** What a page of settings has to know. */
export interface Account extends WithUser {
  hasPassword: boolean;
  isGuest: boolean;
}

export interface SentIfNeeded {
  /** Null where the address is verified, and nothing was sent. */
  expiresAt: Date | null;
}

export interface ChangeSent extends Sent {
  /** Whether the present address got a code too, which `confirmEmail` then asks for. */
  currentCodeSent: boolean;
}
