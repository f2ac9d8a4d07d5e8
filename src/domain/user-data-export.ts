/** What an account export holds, and in which form. */
import type { PublicApiKey } from './api-key.js';
import { toPublicCredential, type PublicCredential, type StoredCredential } from './credential.js';
import { maskEmailAddress } from './email-address.js';
import type { ServiceIdentity } from './identity.js';
import type { OrgInvite, OrgMembership } from './org.js';
import type { RefreshFamily } from './refresh-family.js';
import type { ServiceSession } from './session.js';
import type { TotpEnrollment } from './totp.js';
import { toServiceUser, type ServiceUser, type StoredUser } from './user.js';

/** Version 1. A later version adds fields; a field that is there keeps its meaning. */
export interface UserDataExport {
  version: 1;
  exportedAt: Date;
  user: ServiceUser;
  /** Whether the account has a password; never the hash. */
  hasPassword: boolean;
  /** Accounts elsewhere, and phone numbers (`provider` is `phone`). */
  identities: ServiceIdentity[];
  passkeys: PublicCredential[];
  /** Whether an authenticator app is enrolled; never its secret. */
  totp: { enabledAt: Date | null; recoveryCodesLeft: number };
  sessions: ServiceSession[];
  /** Refresh token families, without what tokens are made of. */
  refreshFamilies: Pick<
    RefreshFamily,
    'id' | 'claims' | 'device' | 'createdAt' | 'expiresAt' | 'revokedAt'
  >[];
  /** The user's own keys; those of organisations belong to the organisations. */
  apiKeys: PublicApiKey[];
  memberships: OrgMembership[];
  /** Invites that the user sent (other people's addresses masked) or received (who sent them left out). */
  invites: OrgInvite[];
  /** By the names given to `account.contribute`. */
  contributions: Record<string, unknown>;
}

export interface UserRecords {
  exportedAt: Date;
  user: StoredUser;
  identities: ServiceIdentity[];
  credentials: StoredCredential[];
  enrollment: TotpEnrollment | null;
  recoveryCodesLeft: number;
  sessions: ServiceSession[];
  families: RefreshFamily[];
  keys: PublicApiKey[];
  memberships: OrgMembership[];
  invites: OrgInvite[];
  contributions: Record<string, unknown>;
}

export function toPublicUserData(records: UserRecords): UserDataExport {
  const { user, credentials, enrollment, recoveryCodesLeft, families, keys, invites, ...rest } = records;
  return {
    version: 1,
    ...rest,
    user: toServiceUser(user),
    hasPassword: user.passwordHash !== null,
    passkeys: credentials.map(toPublicCredential),
    totp: { enabledAt: enrollment?.confirmedAt ?? null, recoveryCodesLeft },
    refreshFamilies: families.map(({ id, claims, device, createdAt, expiresAt, revokedAt }) => ({
      id,
      claims,
      device,
      createdAt,
      expiresAt,
      revokedAt,
    })),
    apiKeys: keys,
    invites: invites.map((invite) => ownView(invite, user)),
  };
}

/** An invite is about two people: each sees their own side. */
function ownView(invite: OrgInvite, { id, email }: StoredUser): OrgInvite {
  return {
    ...invite,
    email: invite.email === email ? invite.email : maskEmailAddress(invite.email),
    invitedByUserId: invite.invitedByUserId === id ? id : null,
  };
}
