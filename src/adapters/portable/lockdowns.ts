/**
 * Lockdowns (docs/decisions/lockdown.md). One of everyone writes the single row of `svc_lockdown`, whose lock comes before those of
 * users (locks.ts); one of an organization or a user writes the rows of its users, in batches in the order of their ids.
 */
import type { LockdownRepository, LockdownScope, LockdownStart } from '../../storage/lockdown-repository.js';
import { asUuid } from '../shared/bindings.js';
import type { Database, Queryable } from './database.js';
import { admit, lockUsers, readLocked } from './locks.js';
import type { Row } from './tables.js';

/** Drivers limit the values of a statement. */
const batchSize = 500;

// Never earlier, as in revocations.ts.
const later = (column: string) => `case when ${column} > :now then ${column} else :now end`;

const raiseEveryone = `update svc_lockdown set epochs = epochs + 1, started_at = ${later('started_at')} where id = 1`;
// After `clear()`.
const startFirst = `insert into svc_lockdown (id, epochs, started_at) values (1, 1, :now)`;

const raise = `
  update svc_users set epoch = epoch + 1, sessions_valid_after = ${later('sessions_valid_after')}
  where id in (:ids*)`;

const ofUsers = [
  `update svc_sessions set revoked_at = :now where user_id in (:ids*) and revoked_at is null`,
  // The user of a session that has ended must not be able to confirm an authenticator app.
  `update svc_totp set pending_secret = null where user_id in (:ids*) and pending_secret is not null`,
  `delete from svc_totp where user_id in (:ids*) and {hasNoApp}`,
];

const revokeKeys = `update svc_api_keys set revoked_at = :now where revoked_at is null`;
const keysOfUsers = `${revokeKeys} and user_id in (:ids*)`;
const keysOfOrg = `${revokeKeys} and org_id = :orgId`;

const findOrg = `select id from svc_orgs where id = :orgId`;
const members = `select user_id as id from svc_org_memberships where org_id = :orgId`;

const toId = (row: Row) => row['id'] as string;

/** @param announce a statement that announces a lockdown of everyone to other processes. */
export function lockdownQueries(db: Database, announce?: string): LockdownRepository {
  return {
    start: (lockdown) =>
      db.transaction((transaction) =>
        lockdown.scope === 'everyone'
          ? everyone(transaction, lockdown, announce)
          : some(transaction, lockdown, lockdown.scope),
      ),
  };
}

async function everyone(
  transaction: Queryable,
  { now, apiKeys, by }: LockdownStart,
  announce: string | undefined,
): ReturnType<LockdownRepository['start']> {
  const raised = await transaction.execute(raiseEveryone, { now });
  if (by) await admit(transaction, { ...by, decide: beforeRaise(by, raised) }, by.userId);
  if (raised === 0) await transaction.execute(startFirst, { now });
  if (apiKeys) await transaction.execute(revokeKeys, { now });
  if (announce !== undefined) await transaction.query(announce, {}, () => null);
  return { users: null };
}

/** The transaction reads the epoch that it has raised itself. */
function beforeRaise({ decide }: NonNullable<LockdownStart['by']>, raised: number): typeof decide {
  return (user) => decide(user && { ...user, epoch: user.epoch - raised });
}

async function some(
  transaction: Queryable,
  { now, apiKeys, by }: LockdownStart,
  scope: Exclude<LockdownScope, 'everyone'>,
): ReturnType<LockdownRepository['start']> {
  // Keys that are inserted wait for it.
  if (apiKeys) await transaction.execute(`update svc_lockdown set epochs = epochs where id = 1`, {});
  const orgId = 'orgId' in scope ? asUuid(scope.orgId) : null;
  const listed = 'userId' in scope ? [scope.userId] : await transaction.query(members, { orgId }, toId);
  const ids = listed.flatMap((id) => asUuid(id) ?? []);
  const locked = await lockInOrder(transaction, by ? [...ids, by.userId] : ids);
  by?.decide((await readLocked(transaction, by.userId))?.user ?? null);
  if ('orgId' in scope ? !(await transaction.find(findOrg, { orgId }, toId)) : !locked.has(scope.userId))
    return 'not_found';
  const affected = ids.filter((id) => locked.has(id)).sort();
  for (const batch of batchesOf(affected)) {
    for (const statement of ofUsers) await transaction.execute(statement, { ids: batch, now });
    await transaction.execute(raise, { ids: batch, now });
    if (apiKeys) await transaction.execute(keysOfUsers, { ids: batch, now });
  }
  if (apiKeys && orgId !== null) await transaction.execute(keysOfOrg, { orgId, now });
  return { users: affected.length };
}

/** Locks the users in the order of their ids, and returns the ids of those who exist. */
async function lockInOrder(transaction: Queryable, ids: readonly string[]): Promise<Set<string>> {
  const locked = new Set<string>();
  for (const batch of batchesOf([...new Set(ids)].sort()))
    for (const id of await lockUsers(transaction, batch)) locked.add(id);
  return locked;
}

function batchesOf(ids: readonly string[]): string[][] {
  return Array.from({ length: Math.ceil(ids.length / batchSize) }, (_, at) =>
    ids.slice(at * batchSize, (at + 1) * batchSize),
  );
}
