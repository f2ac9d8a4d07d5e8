/** The export of users: pages by id, and a statement for each table that has rows of users. */
import type { TotpApp } from '../../domain/totp.js';
import type { ExportedAccount, ExportRepository } from '../../storage/export-repository.js';
import type { Database, Queryable } from './database.js';
import { inLists } from './imports/insert-rows.js';
import { limitOf, lowestId } from './list-range.js';
import {
  apps,
  credentials,
  foreignApiKeys,
  identities,
  importedOrgs,
  memberships,
  recoveryCodes,
} from './records.js';
import { columnsOf, readerOf, type Row, type Table } from './tables.js';
import { toAdministered, userColumns } from './users.js';

/** Reads the authenticator apps of these users, of each user the first one first. */
export type ReadApps = (on: Queryable, userIds: readonly string[]) => Promise<TotpApp[]>;

const usersAfter = `select ${userColumns} from svc_users u where u.id > :after order by u.id`;

const rowsOf = (table: Table<object>, order: string) =>
  `select ${columnsOf(table, 'r')} from ${table.name} r where r.user_id in (:values*) order by ${order}`;
const ofAge = 'r.created_at, r.id';
const identitiesOf = rowsOf(identities, ofAge);
const credentialsOf = rowsOf(credentials, ofAge);
const keysOf = rowsOf(foreignApiKeys, ofAge);
const codesOf = rowsOf(recoveryCodes, 'r.code_hash');
const appsOf = rowsOf(apps, 'r.place');
const emailFactors = `select r.user_id as user_id from svc_totp r where r.user_id in (:values*) and r.email_factor = :yes`;
const membershipsOf = `
  select ${columnsOf(memberships, 'r')}, ${columnsOf(importedOrgs, 'o')}
  from svc_org_memberships r join svc_orgs o on o.id = r.org_id
  where r.user_id in (:values*) order by r.created_at, r.org_id`;

const toIdentity = readerOf(identities, 'r');
const toCredential = readerOf(credentials, 'r');
const toKey = readerOf(foreignApiKeys, 'r');
const toCode = readerOf(recoveryCodes, 'r');
const toMembership = readerOf(memberships, 'r');
const toOrg = readerOf(importedOrgs, 'o');
const toApp = readerOf(apps, 'r');

export const readPortableApps: ReadApps = async (on, userIds) => {
  const rows = await readAll(on, appsOf, userIds, toApp);
  return rows.map(({ place: _, ...app }) => app);
};

export function exportQueries(db: Database, readApps: ReadApps): ExportRepository {
  return {
    async exportUsers(after, limit) {
      const users = await db.query(
        `${usersAfter} ${limitOf(limit)}`,
        { after: after ?? lowestId },
        toAdministered,
      );
      const ids = users.map(({ id }) => id);
      const ownIdentities = grouped(await readAll(db, identitiesOf, ids, toIdentity));
      const ownCredentials = grouped(await readAll(db, credentialsOf, ids, toCredential));
      const ownKeys = grouped(await readAll(db, keysOf, ids, toKey));
      const ownCodes = grouped(await readAll(db, codesOf, ids, toCode));
      const ownApps = grouped(await readApps(db, ids));
      const withEmail = new Set(
        await readAll(db, emailFactors, ids, (row) => row['user_id'] as string, { yes: true }),
      );
      const ownMemberships = grouped(await readAll(db, membershipsOf, ids, readMembership));
      return users.map((user): ExportedAccount => {
        const { id } = user;
        const factors = ownApps(id);
        const recoveryCodeHashes = ownCodes(id).map(({ codeHash }) => codeHash);
        return {
          user,
          identities: ownIdentities(id),
          secondFactor:
            factors.length === 0 ? null : { apps: factors, recoveryCodeHashes, email: withEmail.has(id) },
          credentials: ownCredentials(id),
          // The keys of organizations have no user.
          apiKeys: ownKeys(id),
          memberships: ownMemberships(id).map(({ org, role, createdAt }) => ({ org, role, createdAt })),
        };
      });
    },
  };
}

function readMembership(row: Row) {
  const { userId, role, createdAt } = toMembership(row);
  return { userId, org: toOrg(row), role, createdAt };
}

async function readAll<Fields>(
  on: Queryable,
  statement: string,
  ids: readonly string[],
  read: (row: Row) => Fields,
  bindings: Readonly<Record<string, boolean>> = {},
): Promise<Fields[]> {
  const all: Fields[] = [];
  await inLists(ids, async (values) => {
    all.push(...(await on.query(statement, { ...bindings, values }, read)));
  });
  return all;
}

/** Returns a function that returns the rows of a user, in their order. */
function grouped<Fields extends { userId: string | null }>(rows: readonly Fields[]) {
  const groups = new Map<string | null, Fields[]>();
  for (const row of rows) {
    const group = groups.get(row.userId);
    if (group) group.push(row);
    else groups.set(row.userId, [row]);
  }
  return (userId: string): Fields[] => groups.get(userId) ?? [];
}
