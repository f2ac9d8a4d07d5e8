/** The export of users: optional as a whole, like the repositories of pro-repositories.ts. */
import type { StoredApiKey } from '../domain/api-key.js';
import type { StoredCredential } from '../domain/credential.js';
import type { ServiceIdentity } from '../domain/identity.js';
import type { Org, OrgRole } from '../domain/org.js';
import type { TotpApp } from '../domain/totp.js';
import type { AdministeredUser } from '../domain/user-record.js';

export interface ExportRepository {
  /**
   * Returns the users with ids above `after`, in the order of their ids, each with everything that belongs to it.
   * @param after the last id of the page before. Null: from the first one.
   */
  exportUsers(after: string | null, limit: number): Promise<ExportedAccount[]>;
}

export interface ExportedAccount {
  user: AdministeredUser;
  identities: ServiceIdentity[];
  /** Null without a confirmed app. */
  secondFactor: ExportedSecondFactor | null;
  credentials: StoredCredential[];
  /** Also revoked and expired ones. */
  apiKeys: ExportedApiKey[];
  memberships: ExportedMembership[];
}

export interface ExportedSecondFactor {
  /** The first one first. */
  apps: TotpApp[];
  recoveryCodeHashes: string[];
  /** Whether the user can get codes by email instead. */
  email: boolean;
}

export interface ExportedApiKey extends Omit<StoredApiKey, 'ownerBlock'> {
  /** Of a key of another system. */
  keyDigest: string | null;
}

export interface ExportedMembership {
  org: Org & { externalId: string | null };
  role: OrgRole;
  createdAt: Date;
}
