/** The data of one memory adapter. Every repository works on the same tables. */
import type { AuditSeal, StoredAuditRecord } from '../../domain/audit.js';
import type { StoredApiKey } from '../../domain/api-key.js';
import type { StoredCredential } from '../../domain/credential.js';
import type { ServiceIdentity } from '../../domain/identity.js';
import type { OAuthClient, OAuthGrant, OAuthKey, OAuthToken } from '../../domain/oauth-server.js';
import type { ServiceOneTimeCode } from '../../domain/one-time-code.js';
import type { Org, OrgInvite, OrgMembership } from '../../domain/org.js';
import type { RefreshFamily } from '../../domain/refresh-family.js';
import type { PreferableMethod } from '../../domain/second-factor.js';
import type { SessionBinding } from '../../domain/session-binding.js';
import type { ServiceSession } from '../../domain/session.js';
import type { SingleUseToken } from '../../domain/single-use-token.js';
import type { TotpApp } from '../../domain/totp.js';
import type { StoredTrustedBrowser } from '../../domain/trusted-browser.js';
import type { StoredUser } from '../../domain/user.js';
import type { Username } from '../../domain/username.js';
import type { StatisticsAddition } from '../../storage/statistics-repository.js';
import type { RateLimitCount } from '../../storage/rate-limit-repository.js';

export interface Tables {
  /** By id. */
  users: Map<string, StoredUser>;
  /** User ids by address. */
  userIdByEmail: Map<string, string>;
  /** By user id. */
  usernames: Map<string, Username>;
  /** User ids by key of the user name. */
  userIdByUsername: Map<string, string>;
  /** User ids by external id. */
  userIdByExternalId: Map<string, string>;
  /** Time of the last sign-in, by user id. */
  lastSignIns: Map<string, Date>;
  /** By `identityKey`. */
  identities: Map<string, ServiceIdentity>;
  /** By id. */
  sessions: Map<string, ServiceSession>;
  /** By `codeKey`. */
  codes: Map<string, ServiceOneTimeCode>;
  /** By digest. */
  tokens: Map<string, SingleUseToken>;
  /** By key. */
  counters: Map<string, RateLimitCount>;
  /** Ids of users who are guests. */
  guests: Set<string>;
  /** By id. */
  families: Map<string, RefreshFamily>;
  /** By id. */
  apiKeys: Map<string, StoredApiKey>;
  /** Ids of the keys of another system, by the digest of the key. */
  apiKeyIdByDigest: Map<string, string>;
  /** By id. */
  orgs: Map<string, Org>;
  /** Ids of organizations by external id. */
  orgIdByExternalId: Map<string, string>;
  /** By `membershipKey`. */
  memberships: Map<string, OrgMembership>;
  /** By digest. */
  invites: Map<string, OrgInvite>;
  /** By user id. */
  totp: Map<string, StoredTotp>;
  /** Hashes, by user id. */
  recoveryCodes: Map<string, Set<string>>;
  /** By id. */
  trustedBrowsers: Map<string, StoredTrustedBrowser>;
  /** Id of the trusted browser in which a session was started, by the stored session. */
  browserOfSession: WeakMap<ServiceSession, string>;
  /** The key to which a session is bound, by the stored session. */
  bindingOfSession: WeakMap<ServiceSession, SessionBinding>;
  /** By id. */
  credentials: Map<string, StoredCredential>;
  /** By id. */
  oauthClients: Map<string, OAuthClient>;
  /** By id. */
  oauthGrants: Map<string, OAuthGrant>;
  /** By digest. */
  oauthTokens: Map<string, OAuthToken>;
  /** By id. */
  oauthKeys: Map<string, OAuthKey>;
  /** By id. */
  auditRecords: Map<string, StoredAuditRecord>;
  /** By number. */
  auditSeals: Map<number, AuditSeal>;
  /** The state of the chain, under `state`. */
  auditState: Map<string, string>;
  /** By period, name and label. */
  statistics: Map<string, StatisticsAddition>;
  /** By user id and period. */
  activeUsers: Map<string, { userId: string; expiresAt: Date }>;
}

/** The second factor of a user. */
export interface StoredTotp {
  /** Confirmed, the first one first. */
  apps: TotpApp[];
  pendingSecret: string | null;
  /** Whether the user has chosen codes by email. */
  email: boolean;
  preferred: PreferableMethod | null;
}

export function emptyTables(): Tables {
  return {
    users: new Map(),
    userIdByEmail: new Map(),
    usernames: new Map(),
    userIdByUsername: new Map(),
    userIdByExternalId: new Map(),
    lastSignIns: new Map(),
    identities: new Map(),
    sessions: new Map(),
    codes: new Map(),
    tokens: new Map(),
    counters: new Map(),
    guests: new Set(),
    families: new Map(),
    apiKeys: new Map(),
    apiKeyIdByDigest: new Map(),
    orgs: new Map(),
    orgIdByExternalId: new Map(),
    memberships: new Map(),
    invites: new Map(),
    totp: new Map(),
    recoveryCodes: new Map(),
    trustedBrowsers: new Map(),
    bindingOfSession: new WeakMap(),
    browserOfSession: new WeakMap(),
    credentials: new Map(),
    oauthClients: new Map(),
    oauthGrants: new Map(),
    oauthTokens: new Map(),
    oauthKeys: new Map(),
    auditRecords: new Map(),
    auditSeals: new Map(),
    auditState: new Map(),
    statistics: new Map(),
    activeUsers: new Map(),
  };
}

// JSON of the pair, so that neither value can contain the separator.
export function identityKey(provider: string, providerAccountId: string): string {
  return JSON.stringify([provider, providerAccountId]);
}

export function codeKey(purpose: string, subject: string): string {
  return JSON.stringify([purpose, subject]);
}

export function membershipKey(orgId: string, userId: string): string {
  return JSON.stringify([orgId, userId]);
}

/** Removes at most `limit` matching rows and returns their number. */
export function removeWhere<Row>(
  table: Map<string, Row>,
  matches: (row: Row) => boolean,
  limit = Infinity,
): number {
  let removed = 0;
  for (const [key, row] of table) {
    if (removed >= limit) break;
    if (matches(row) && table.delete(key)) removed += 1;
  }
  return removed;
}

interface Dated {
  createdAt: Date;
}

/** Orders rows oldest first; rows of the same time are ordered by id. */
export function byAge<Row extends Dated>(idOf: (row: Row) => string): (a: Row, b: Row) => number {
  return (a, b) => a.createdAt.getTime() - b.createdAt.getTime() || (idOf(a) < idOf(b) ? -1 : 1);
}
