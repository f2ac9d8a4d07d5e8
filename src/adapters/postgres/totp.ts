/**
 * `svc_totp` and `svc_recovery_codes`: row, mapping, queries. Changes that enable or disable the
 * second factor are transactions that lock the user's row first (locks.ts) and end every session.
 * The queries on single apps are in totp-apps.ts.
 */
import type { PreferableMethod, SecondFactors } from '../../domain/second-factor.js';
import type { TotpEnrollment } from '../../domain/totp.js';
import type { StoredUser } from '../../domain/user.js';
import type { TotpRepository } from '../../storage/second-factor-repositories.js';
import { asLabel, asText, asTimestamp, asUuid, readOptionalTime } from '../shared/bindings.js';
import { epochMs } from './expressions.js';
import type { Database, Queryable } from './database.js';
import { admit, hasEpoch, lockUser, type LockedUser } from '../portable/locks.js';
import { recoveryCodeQueries } from '../portable/recovery-codes.js';
import { endSessions } from '../portable/revocations.js';
import { totpAppQueries } from './totp-apps.js';

interface TotpRow {
  user_id: string;
  secret: string | null;
  last_step: number;
  pending_secret: string | null;
  confirmed_at_ms: string | null;
}

function toEnrollment(row: TotpRow): TotpEnrollment {
  return {
    userId: row.user_id,
    secret: row.secret,
    lastStep: row.last_step,
    pendingSecret: row.pending_secret,
    confirmedAt: readOptionalTime(row.confirmed_at_ms),
  };
}

const find = `
  select user_id, secret, last_step, pending_secret, ${epochMs('confirmed_at')} as confirmed_at_ms
  from svc_totp where user_id = :userId and (secret is not null or pending_secret is not null)`;

// `for share` waits for an upgrade in progress, and makes a later one see the secret.
const savePending = `
  with owner as (select id, is_guest from svc_users where id = :userId for share), saved as (
    insert into svc_totp (user_id, secret, last_step, pending_secret, confirmed_at)
    select owner.id, null, 0, cast(:secret as text), null from owner where not owner.is_guest
    on conflict (user_id) do update set pending_secret = excluded.pending_secret)
  select is_guest from owner`;

const activate = `
  update svc_totp
  set secret = pending_secret, last_step = :step, pending_secret = null, confirmed_at = :now,
    app_id = :appId, name = :name, last_used_at = null
  where user_id = :id and pending_secret = :pendingSecret`;

const removeOtherApps = `delete from svc_totp_apps where user_id = :id`;

const findFactors = `
  select t.email_factor, t.preferred_method,
    (select cast(count(*) as integer) from svc_credentials c where c.user_id = t.user_id) as passkeys,
    (select cast(count(*) as integer) from svc_recovery_codes r where r.user_id = t.user_id) as recovery_codes
  from svc_totp t where t.user_id = :userId and t.secret is not null`;

interface FactorsRow {
  email_factor: boolean;
  preferred_method: PreferableMethod | null;
  passkeys: number;
  recovery_codes: number;
}

function toFactors(row: FactorsRow): SecondFactors {
  const { email_factor: email, preferred_method: preferred, passkeys, recovery_codes: recoveryCodes } = row;
  return { email, passkeys, recoveryCodes, preferred };
}

const setEmail = `
  update svc_totp set email_factor = :enabled
  where user_id = :id and secret is not null and email_factor <> :enabled`;

const setPreferred = `
  update svc_totp set preferred_method = cast(:method as text) where user_id = :userId and secret is not null`;

const isConfirmed = `select from svc_totp where user_id = :id and secret is not null`;

const removeRecoveryCodes = `delete from svc_recovery_codes where user_id = :id`;

const insertRecoveryCodes = `
  insert into svc_recovery_codes (user_id, code_hash)
  select cast(:id as uuid), hash from unnest(cast(:hashes as text[])) as hash
  on conflict do nothing`;

// The foreign key of the other apps removes them too.
const remove = `delete from svc_totp where user_id = :id returning secret is not null as was_enabled`;

// Secrets to compare are bound with `asText`, secrets to store are not: a secret that cannot be
// stored must be an error and must not become null, which means that there is no secret.
export function totpQueries(db: Database): TotpRepository {
  return {
    ...totpAppQueries(db, { change, end, removeSecondFactor }),
    async find(userId) {
      const bindings = { userId: asUuid(userId) };
      const [enrollment] = await db.queryPrepared('svc_totp_find', find, bindings, toEnrollment);
      return enrollment ?? null;
    },
    async findFactors(userId) {
      const bindings = { userId: asUuid(userId) };
      const [factors] = await db.queryPrepared('svc_totp_factors', findFactors, bindings, toFactors);
      return factors ?? null;
    },
    async savePending(userId, secret) {
      const bindings = { userId: asUuid(userId), secret };
      const [owner] = await db.query(savePending, bindings, (row: { is_guest: boolean }) => row);
      if (!owner) return 'no_user';
      return owner.is_guest ? 'guest' : 'kept';
    },
    confirm: ({ userId, epoch, pendingSecret, step, recoveryCodeHashes, now, appId = userId, name = null }) =>
      change(db, userId, epoch, async (transaction, { user, isGuest }) => {
        if (isGuest) return false;
        const app = { appId: asUuid(appId), name: name === null ? null : asLabel(name) };
        const bindings = {
          id: userId,
          pendingSecret: asText(pendingSecret),
          step,
          now: asTimestamp(now),
          ...app,
        };
        if ((await transaction.execute(activate, bindings)) === 0) return false;
        await transaction.execute(removeOtherApps, { id: userId });
        await putRecoveryCodes(transaction, userId, recoveryCodeHashes);
        await end(transaction, user, now);
        return true;
      }),
    setEmail: (userId, enabled, now, epoch) =>
      change(db, userId, epoch, async (transaction, { user }) => {
        if ((await transaction.execute(setEmail, { id: userId, enabled })) === 0) return false;
        await end(transaction, user, now);
        return true;
      }),
    async setPreferred(userId, method) {
      return (await db.execute(setPreferred, { userId: asUuid(userId), method })) === 1;
    },
    replaceRecoveryCodes: (userId, hashes, now, epoch) =>
      change(db, userId, epoch, async (transaction, { user }) => {
        const confirmed = await transaction.query(isConfirmed, { id: userId }, () => true);
        if (confirmed.length === 0) return false;
        await putRecoveryCodes(transaction, userId, hashes);
        await end(transaction, user, now);
        return true;
      }),
    ...recoveryCodeQueries(db),
    disable: (userId, now, epoch, by) =>
      db.transaction(async (transaction) => {
        await admit(transaction, by, userId);
        const locked = await lockUser(transaction, userId);
        return (
          locked !== null && hasEpoch(locked, epoch) && removeSecondFactor(transaction, locked.user, now)
        );
      }),
  };
}

/** Runs `work` under the lock of the user. False if the user does not exist or has another epoch. */
function change<Result>(
  db: Database,
  userId: string,
  epoch: number | undefined,
  work: (transaction: Queryable, locked: LockedUser) => Promise<Result>,
): Promise<Result | false> {
  return db.transaction(async (transaction) => {
    const locked = await lockUser(transaction, userId);
    return locked !== null && hasEpoch(locked, epoch) && work(transaction, locked);
  });
}

/** Returns whether a second factor was enabled. Requires the lock of the user. */
async function removeSecondFactor(transaction: Queryable, user: StoredUser, now: Date): Promise<boolean> {
  const { id } = user;
  const toWasEnabled = (row: { was_enabled: boolean }) => row.was_enabled;
  const [wasEnabled = false] = await transaction.query(remove, { id }, toWasEnabled);
  await transaction.execute(removeRecoveryCodes, { id });
  if (wasEnabled) await end(transaction, user, now, false);
  return wasEnabled;
}

async function putRecoveryCodes(
  transaction: Queryable,
  id: string,
  hashes: readonly string[],
): Promise<void> {
  await transaction.execute(removeRecoveryCodes, { id });
  await transaction.execute(insertRecoveryCodes, { id, hashes });
}

/** Ends every session of the locked user. */
async function end(transaction: Queryable, user: StoredUser, now: Date, totpEnabled = true): Promise<void> {
  await endSessions(transaction, user, now, { totpEnabled, updatedAt: now });
}
