/** `svc_credentials`: row, mapping, bindings. */
import type { StoredCredential } from '../../domain/credential.js';
import type { DeviceInfo } from '../../domain/session.js';
import {
  asJsonb,
  asLabel,
  asText,
  asTimestamp,
  asUuid,
  epochMs,
  readOptionalTime,
  readTime,
} from './bindings.js';
import type { Bindings } from './database.js';

export interface CredentialRow {
  credential_id: string;
  credential_user_id: string;
  public_key: string;
  // A 64-bit column is returned as a string.
  counter: string;
  transports: string;
  backup_eligible: boolean;
  backed_up: boolean;
  aaguid: string;
  credential_name: string | null;
  last_used_from: string | null;
  credential_created_at: string;
  credential_last_used_at: string | null;
}

export const credentialColumns = `
  c.id as credential_id, c.user_id as credential_user_id, c.public_key, cast(c.counter as text) as counter,
  cast(c.transports as text) as transports, c.backup_eligible, c.backed_up, c.aaguid,
  c.name as credential_name, cast(c.last_used_from as text) as last_used_from,
  ${epochMs('c.created_at')} as credential_created_at, ${epochMs('c.last_used_at')} as credential_last_used_at`;

export function toCredential(row: CredentialRow): StoredCredential {
  return {
    id: row.credential_id,
    userId: row.credential_user_id,
    publicKey: row.public_key,
    counter: Number(row.counter),
    transports: JSON.parse(row.transports) as string[],
    backupEligible: row.backup_eligible,
    backedUp: row.backed_up,
    aaguid: row.aaguid,
    name: row.credential_name,
    lastUsedFrom: row.last_used_from === null ? null : (JSON.parse(row.last_used_from) as DeviceInfo),
    createdAt: readTime(row.credential_created_at),
    lastUsedAt: readOptionalTime(row.credential_last_used_at),
  };
}

export function credentialBindings(credential: StoredCredential): Bindings {
  return {
    id: asText(credential.id),
    userId: asUuid(credential.userId),
    publicKey: credential.publicKey,
    counter: credential.counter,
    transports: asJsonb(credential.transports),
    backupEligible: credential.backupEligible,
    backedUp: credential.backedUp,
    aaguid: credential.aaguid,
    name: credential.name && asLabel(credential.name),
    lastUsedFrom: credential.lastUsedFrom && asJsonb(credential.lastUsedFrom),
    createdAt: asTimestamp(credential.createdAt),
    lastUsedAt: credential.lastUsedAt && asTimestamp(credential.lastUsedAt),
  };
}

export const insertColumns = `
  id, user_id, public_key, counter, transports, backup_eligible, backed_up, aaguid, name, created_at, last_used_at,
  last_used_from`;

export const insertValues = `
  cast(:id as text), owner.id, cast(:publicKey as text), cast(:counter as bigint), cast(:transports as jsonb),
  cast(:backupEligible as boolean), cast(:backedUp as boolean), cast(:aaguid as text), cast(:name as text),
  cast(:createdAt as timestamptz), cast(:lastUsedAt as timestamptz), cast(:lastUsedFrom as jsonb)`;
