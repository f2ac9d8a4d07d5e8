/** The tables and the records in them: the one place that names every column. */
import type { AuditSeal, StoredAuditRecord } from '../../domain/audit.js';
import type { StoredApiKey } from '../../domain/api-key.js';
import type { StoredCredential } from '../../domain/credential.js';
import type { ServiceIdentity } from '../../domain/identity.js';
import type { OAuthClient, OAuthGrant, OAuthKey, OAuthToken } from '../../domain/oauth-server.js';
import type { ServiceOneTimeCode } from '../../domain/one-time-code.js';
import type { Org, OrgInvite, OrgMembership } from '../../domain/org.js';
import type { RefreshFamily } from '../../domain/refresh-family.js';
import type { PreferableMethod } from '../../domain/second-factor.js';
import type { ServiceSession } from '../../domain/session.js';
import type { SingleUseToken } from '../../domain/single-use-token.js';
import type { TotpApp } from '../../domain/totp.js';
import type { StoredTrustedBrowser } from '../../domain/trusted-browser.js';
import type { StoredUser } from '../../domain/user.js';
import type { ForeignApiKey } from '../../storage/import-repository.js';
import { table } from './tables.js';

export interface StoredUserFields extends Omit<StoredUser, 'blocked'> {
  blockedAt: Date | null;
  blockedUntil: Date | null;
  blockedReason: string | null;
}

export interface UserFields extends StoredUserFields {
  isGuest: boolean;
  usernameKey: string | null;
  lastSignInAt: Date | null;
}

const storedUserKinds = {
  id: 'text',
  email: 'text',
  emailVerified: 'boolean',
  passwordHash: 'text',
  metadata: 'json',
  epoch: 'userEpoch',
  sessionsValidAfter: 'userEnd',
  totpEnabled: 'boolean',
  blockedAt: 'time',
  blockedUntil: 'time',
  blockedReason: 'text',
  roles: 'list',
  language: 'text',
  username: 'text',
  externalId: 'text',
  createdAt: 'time',
  updatedAt: 'time',
} as const;

/** What a session check reads of a user. */
export const storedUsers = table<StoredUserFields>('svc_users', storedUserKinds);

export const users = table<UserFields>('svc_users', {
  ...storedUserKinds,
  isGuest: 'boolean',
  usernameKey: 'text',
  lastSignInAt: 'time',
});

const sessionKinds = {
  id: 'text',
  userId: 'text',
  device: 'json',
  createdAt: 'time',
  lastSeenAt: 'time',
  expiresAt: 'time',
  revokedAt: 'time',
  boundAt: 'time',
} as const;

export const sessions = table<ServiceSession>('svc_sessions', sessionKinds);

/** With the trusted browser in which it was started, which only the revocation of the session reads. */
export const startedSessions = table<ServiceSession & { trustedBrowserId: string | null }>('svc_sessions', {
  ...sessionKinds,
  trustedBrowserId: 'text',
});

export const families = table<RefreshFamily>('svc_refresh_families', {
  id: 'text',
  kind: 'text',
  userId: 'text',
  counter: 'number',
  rotatedAt: 'time',
  epoch: 'number',
  claims: 'json',
  device: 'json',
  createdAt: 'time',
  expiresAt: 'time',
  revokedAt: 'time',
});

export const identities = table<ServiceIdentity>('svc_identities', {
  id: 'text',
  userId: 'text',
  provider: 'text',
  providerAccountId: 'text',
  createdAt: 'time',
});

export type CodeFields = Omit<ServiceOneTimeCode, 'linkDigest'> & { linkDigest: string | null };

export const codes = table<CodeFields>('svc_one_time_codes', {
  purpose: 'text',
  subject: 'text',
  codeHash: 'text',
  attempts: 'number',
  expiresAt: 'time',
  consumedAt: 'time',
  metadata: 'json',
  linkDigest: 'text',
});

export interface TokenFields extends Omit<SingleUseToken, 'account'> {
  accountEpoch: number | null;
  accountHasPassword: boolean | null;
}

export const tokens = table<TokenFields>('svc_single_use_tokens', {
  digest: 'text',
  purpose: 'text',
  subject: 'text',
  expiresAt: 'time',
  metadata: 'json',
  accountEpoch: 'number',
  accountHasPassword: 'boolean',
});

export interface CounterFields {
  counterKey: string;
  hits: number;
  resetAt: Date;
}

export const counters = table<CounterFields>('svc_rate_limits', {
  counterKey: 'text',
  hits: 'number',
  resetAt: 'time',
});

const apiKeyKinds = {
  id: 'text',
  name: 'text',
  prefix: 'text',
  secretHash: 'text',
  userId: 'text',
  orgId: 'text',
  scopes: 'json',
  metadata: 'json',
  createdAt: 'time',
  lastUsedAt: 'time',
  expiresAt: 'time',
  revokedAt: 'time',
} as const;

export const apiKeys = table<Omit<StoredApiKey, 'ownerBlock'>>('svc_api_keys', apiKeyKinds);

/** Keys of another system, with the digest by which they are found. */
export const foreignApiKeys = table<ForeignApiKey>('svc_api_keys', {
  ...apiKeyKinds,
  keyDigest: 'text',
});

const orgKinds = {
  id: 'text',
  name: 'text',
  slug: 'text',
  metadata: 'json',
  createdAt: 'time',
  updatedAt: 'time',
} as const;

export const orgs = table<Org>('svc_orgs', orgKinds);

/** With the id in the system that it was imported from. */
export const importedOrgs = table<Org & { externalId: string }>('svc_orgs', {
  ...orgKinds,
  externalId: 'text',
});

export const memberships = table<OrgMembership>('svc_org_memberships', {
  orgId: 'text',
  userId: 'text',
  role: 'text',
  createdAt: 'time',
});

export type InviteFields = OrgInvite & { digest: string };

export const invites = table<InviteFields>('svc_org_invites', {
  id: 'text',
  digest: 'text',
  orgId: 'text',
  email: 'text',
  role: 'text',
  invitedByUserId: 'text',
  createdAt: 'time',
  expiresAt: 'time',
  acceptedAt: 'time',
});

export interface EnrollmentFields {
  userId: string;
  pendingSecret: string | null;
  emailFactor: boolean;
  preferredMethod: PreferableMethod | null;
}

export const enrollments = table<EnrollmentFields>('svc_totp', {
  userId: 'text',
  pendingSecret: 'text',
  emailFactor: 'boolean',
  preferredMethod: 'text',
});

/** `place` orders the apps of a user: the first one is the lowest. */
export type AppFields = TotpApp & { place: number };

export const apps = table<AppFields>('svc_totp_apps', {
  id: 'text',
  userId: 'text',
  place: 'number',
  name: 'text',
  secret: 'text',
  lastStep: 'number',
  createdAt: 'time',
  lastUsedAt: 'time',
});

export const recoveryCodes = table<{ userId: string; codeHash: string }>('svc_recovery_codes', {
  userId: 'text',
  codeHash: 'text',
});

export const trustedBrowsers = table<StoredTrustedBrowser>('svc_trusted_browsers', {
  id: 'text',
  userId: 'text',
  secretHash: 'text',
  epoch: 'number',
  device: 'json',
  createdAt: 'time',
  lastUsedAt: 'time',
  expiresAt: 'time',
});

export const credentials = table<StoredCredential>('svc_credentials', {
  id: 'text',
  userId: 'text',
  publicKey: 'text',
  counter: 'number',
  transports: 'json',
  backupEligible: 'boolean',
  backedUp: 'boolean',
  aaguid: 'text',
  name: 'text',
  lastUsedFrom: 'json',
  userHandle: 'text',
  createdAt: 'time',
  lastUsedAt: 'time',
});

export const oauthClients = table<OAuthClient>('svc_oauth_clients', {
  id: 'text',
  kind: 'text',
  metadata: 'json',
  createdAt: 'time',
  expiresAt: 'time',
});

export const oauthGrants = table<OAuthGrant>('svc_oauth_grants', {
  id: 'text',
  userId: 'text',
  clientId: 'text',
  epoch: 'number',
  scopes: 'json',
  renewal: 'json',
  counter: 'number',
  rotatedAt: 'time',
  createdAt: 'time',
  lastUsedAt: 'time',
  expiresAt: 'time',
});

export const oauthTokens = table<OAuthToken>('svc_oauth_tokens', {
  digest: 'text',
  kind: 'text',
  alias: 'text',
  grantId: 'text',
  clientId: 'text',
  data: 'json',
  usedAt: 'time',
  expiresAt: 'time',
});

export const oauthKeys = table<OAuthKey>('svc_oauth_keys', {
  id: 'text',
  secret: 'text',
  createdAt: 'time',
});

export const auditRecords = table<StoredAuditRecord>('svc_audit_log', {
  id: 'text',
  occurredAt: 'time',
  action: 'text',
  outcome: 'text',
  errorCode: 'text',
  userId: 'text',
  orgId: 'text',
  clientId: 'text',
  actorId: 'text',
  actingUserId: 'text',
  actors: 'text',
  requestId: 'text',
  details: 'text',
  personal: 'text',
  personalDigest: 'text',
  mac: 'text',
  seal: 'number',
});

export const auditSeals = table<AuditSeal>('svc_audit_seals', {
  seal: 'number',
  sealedAt: 'time',
  newestAt: 'time',
  records: 'number',
  ids: 'text',
  mac: 'text',
});

export interface StatisticsFields {
  period: string;
  /** The name of the counter and, after a blank, its label. */
  series: string;
  hits: number;
  expiresAt: Date | null;
}

export const statisticsCounters = table<StatisticsFields>('svc_statistics', {
  period: 'text',
  series: 'text',
  hits: 'number',
  expiresAt: 'time',
});
