/** Inserts the users of an import with what belongs to each. */
import type {
  ForeignApiKey,
  ImportedAccount,
  ImportedSecondFactor,
  ImportRecord,
} from '../../../storage/import-repository.js';
import type { StoredCredential } from '../../../domain/credential.js';
import { asLabel } from '../../shared/bindings.js';
import type { Queryable } from '../database.js';
import {
  apps,
  credentials,
  enrollments,
  foreignApiKeys,
  identities,
  recoveryCodes,
  users,
} from '../records.js';
import type { UserFields } from '../records.js';
import { insertRows } from './insert-rows.js';

/** Inserts the authenticator apps of each of these users, and whether codes by email are an alternative. */
export type InsertSecondFactors = (on: Queryable, factors: readonly NewSecondFactor[]) => Promise<void>;

export type NewSecondFactor = ImportedSecondFactor & { userId: string };

export async function insertNewUsers(
  on: Queryable,
  records: readonly ImportRecord[],
  insertSecondFactors: InsertSecondFactors,
): Promise<void> {
  await insertRows(
    on,
    users,
    records.map(({ user }) => toFields(user)),
  );
  await insertRows(
    on,
    identities,
    records.flatMap((record) => record.identities),
  );
  await insertCredentials(
    on,
    records.flatMap((record) => record.credentials),
  );
  await insertKeys(
    on,
    records.flatMap(({ apiKeys }) => apiKeys),
  );
  await insertFactorsOf(
    on,
    records.map((record) => ({ record, userId: record.user.id })),
    insertSecondFactors,
  );
}

/** Inserts the second factors of the records, for the users of these ids. */
export async function insertFactorsOf(
  on: Queryable,
  owners: readonly { record: ImportRecord; userId: string }[],
  insertSecondFactors: InsertSecondFactors,
): Promise<void> {
  const factors = owners.flatMap(({ record, userId }) =>
    record.secondFactor ? [{ userId, ...record.secondFactor(userId) }] : [],
  );
  await insertSecondFactors(on, factors);
  const codes = factors.flatMap(({ userId, recoveryCodeHashes }) =>
    [...new Set(recoveryCodeHashes)].map((codeHash) => ({ userId, codeHash })),
  );
  await insertRows(on, recoveryCodes, codes);
}

export const insertPortableFactors: InsertSecondFactors = async (on, factors) => {
  await insertRows(
    on,
    enrollments,
    factors.map(({ userId, email }) => ({
      userId,
      pendingSecret: null,
      emailFactor: email,
      preferredMethod: null,
    })),
  );
  await insertRows(
    on,
    apps,
    factors.flatMap((factor) =>
      factor.apps.map((app, place) => ({ ...app, name: labelOf(app.name), place })),
    ),
  );
};

export function insertCredentials(on: Queryable, own: readonly StoredCredential[]): Promise<void> {
  return insertRows(
    on,
    credentials,
    own.map((credential) => ({ ...credential, name: labelOf(credential.name) })),
  );
}

export function insertKeys(on: Queryable, own: readonly ForeignApiKey[]): Promise<void> {
  return insertRows(
    on,
    foreignApiKeys,
    own.map((key) => ({ ...key, name: asLabel(key.name) })),
  );
}

const labelOf = (name: string | null) => (name === null ? null : asLabel(name));

function toFields({ username, blocked, ...user }: ImportedAccount): UserFields {
  return {
    ...user,
    username: username?.name ?? null,
    usernameKey: username?.key ?? null,
    blockedAt: blocked?.at ?? null,
    blockedUntil: blocked?.until ?? null,
    blockedReason: blocked?.reason ?? null,
    isGuest: false,
  };
}
