/** Brings the schema up to date, one process at a time. */
import type { PortableDatabase, Queryable } from '../database.js';
import { firstRelease } from './0001-first-release.js';
import { oauthServer } from './0002-oauth-server.js';
import { oauthTokenClients } from './0003-oauth-token-clients.js';
import { externalIds } from './0004-external-ids.js';
import { foreignApiKeys } from './0005-foreign-api-keys.js';
import { passkeyHandles } from './0006-passkey-handles.js';
import { lockdowns } from './0007-lockdowns.js';
import { boundSessions } from './0008-bound-sessions.js';
import { auditLog } from './0009-audit-log.js';
import { statistics } from './0010-statistics.js';
import { auditActingUser } from './0011-audit-acting-user.js';
import type { Migration } from './migration.js';

export const migrations: readonly Migration[] = [
  firstRelease,
  oauthServer,
  oauthTokenClients,
  externalIds,
  foreignApiKeys,
  passkeyHandles,
  lockdowns,
  boundSessions,
  auditLog,
  statistics,
  auditActingUser,
];

/** The tables that the repositories write to, those that refer to others first. */
export const tablesWithRows: readonly string[] = migrations
  .flatMap(({ statements }) => statements)
  .flatMap((statement) => /create table (svc_\w+)/.exec(statement)?.[1] ?? [])
  .reverse();

export const createRegister = `create table if not exists svc_migrations (id integer not null primary key, name {text 100} not null) {options}`;
const readRegister = `select id from svc_migrations`;
const register = `insert into svc_migrations (id, name) values (:id, :name)`;

/**
 * Applies the migrations that are missing. @param report receives the name of each before it is applied.
 * @throws InternalError if one fails.
 */
export async function migrate(
  db: PortableDatabase,
  report: (step: string) => void = () => undefined,
): Promise<void> {
  // Read first: a user of the database who may not create tables can still start on a schema that is
  // up to date.
  const applied = await appliedIds(db).catch((): number[] => []);
  if (migrations.every(({ id }) => applied.includes(id))) return;
  await db.exclusively(async (transaction) => {
    await transaction.execute(createRegister, {});
    const done = await appliedIds(transaction);
    for (const migration of migrations) {
      if (done.includes(migration.id)) continue;
      report(migration.name);
      await apply(db, transaction, migration);
    }
  });
}

/** Rejects if no migration has been applied. */
export const appliedIds = (on: Queryable) => on.query(readRegister, {}, (row) => Number(row['id']));

async function apply(
  db: PortableDatabase,
  on: Queryable,
  { id, name, statements }: Migration,
): Promise<void> {
  for (const statement of statements) {
    try {
      await on.execute(statement, {});
    } catch (error) {
      // A process that ended in the middle of the migration has applied it.
      if (!db.isExistingObject(error)) throw error;
    }
  }
  await on.execute(register, { id, name });
}
