/** The export of users in memory. */
import type { ExportedAccount, ExportRepository } from '../../storage/export-repository.js';
import { copy } from './copy.js';
import { byAge, type Tables } from './tables.js';

export function memoryExports(tables: Tables): ExportRepository {
  return {
    async exportUsers(after, limit) {
      const ids = [...tables.users.keys()].filter((id) => after === null || id > after).sort();
      return ids.slice(0, limit).map((id) => copy(exported(tables, id)));
    },
  };
}

function exported(tables: Tables, id: string): ExportedAccount {
  const user = tables.users.get(id)!;
  const ofUser = <Row extends { userId: string | null; createdAt: Date; id: string }>(
    rows: Map<string, Row>,
  ) => [...rows.values()].filter(({ userId }) => userId === id).sort(byAge((row) => row.id));
  const totp = tables.totp.get(id);
  const externalIds = new Map(
    [...tables.orgIdByExternalId].map(([externalId, orgId]) => [orgId, externalId]),
  );
  const digests = new Map([...tables.apiKeyIdByDigest].map(([digest, keyId]) => [keyId, digest]));
  return {
    user: { ...user, isGuest: tables.guests.has(id), lastSignInAt: tables.lastSignIns.get(id) ?? null },
    identities: ofUser(tables.identities),
    secondFactor:
      totp === undefined || totp.apps.length === 0
        ? null
        : {
            apps: totp.apps,
            recoveryCodeHashes: [...(tables.recoveryCodes.get(id) ?? [])].sort(),
            email: totp.email,
          },
    credentials: ofUser(tables.credentials),
    apiKeys: ofUser(tables.apiKeys).map((key) => ({ ...key, keyDigest: digests.get(key.id) ?? null })),
    memberships: [...tables.memberships.values()]
      .filter(({ userId }) => userId === id)
      .sort(byAge(({ orgId }) => orgId))
      .map(({ orgId, role, createdAt }) => ({
        org: { ...tables.orgs.get(orgId)!, externalId: externalIds.get(orgId) ?? null },
        role,
        createdAt,
      })),
  };
}
