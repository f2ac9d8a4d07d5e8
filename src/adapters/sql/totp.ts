/**
 * `svc_totp` and `svc_recovery_codes`: row, mapping, queries. Changes that enable or disable the
 * second factor are transactions that lock the user's row first (locks.ts) and end every session.
 */
import type { TotpEnrollment } from '../../domain/totp.js';
import type { TotpRepository } from '../../storage/second-factor-repositories.js';
import { epochMs, isStorable, readOptionalTime, asText, asTimestamp, asUuid } from './bindings.js';
import type { Bindings, Database, Queryable } from './database.js';
import { admit, hasEpoch, lockUser } from './locks.js';
import { endEverySession, revokeSessions } from './revocations.js';

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
  from svc_totp where user_id = :userId`;

// `for share` waits for an upgrade in progress, and makes a later one see the secret.
const savePending = `
  with owner as (select id, is_guest from svc_users where id = :userId for share), saved as (
    insert into svc_totp (user_id, secret, last_step, pending_secret, confirmed_at)
    select owner.id, null, 0, cast(:secret as text), null from owner where not owner.is_guest
    on conflict (user_id) do update set pending_secret = excluded.pending_secret)
  select is_guest from owner`;

const activate = `
  update svc_totp set secret = pending_secret, last_step = :step, pending_secret = null, confirmed_at = :now
  where user_id = :id and pending_secret = :pendingSecret`;

const advance = `
  update svc_totp set last_step = :step where user_id = :userId and secret = :secret and last_step < :step`;

const listSecrets = `
  select user_id, secret from svc_totp
  where secret is not null and not starts_with(secret, :prefix)
    and (cast(:after as uuid) is null or user_id > cast(:after as uuid))
  order by user_id limit :limit`;

const reencrypt = `update svc_totp set secret = :to where user_id = :userId and secret = :from`;

const isConfirmed = `select from svc_totp where user_id = :id and secret is not null`;

const removeRecoveryCodes = `delete from svc_recovery_codes where user_id = :id`;

const insertRecoveryCodes = `
  insert into svc_recovery_codes (user_id, code_hash)
  select cast(:id as uuid), hash from unnest(cast(:hashes as text[])) as hash
  on conflict do nothing`;

const consumeRecoveryCode = `
  delete from svc_recovery_codes where user_id = :userId and code_hash = any(cast(:hashes as text[]))`;

const countRecoveryCodes = `select count(*)::int as count from svc_recovery_codes where user_id = :userId`;

const remove = `delete from svc_totp where user_id = :id returning secret is not null as was_enabled`;

const updateUser = `
  update svc_users as u set totp_enabled = :totpEnabled, updated_at = :now, ${endEverySession} where u.id = :id`;

// Secrets to compare are bound with `asText`, secrets to store are not: a secret that cannot be
// stored must be an error and must not become null, which means that there is no secret.
export function totpQueries(db: Database): TotpRepository {
  return {
    async find(userId) {
      const bindings = { userId: asUuid(userId) };
      const [enrollment] = await db.queryPrepared('svc_totp_find', find, bindings, toEnrollment);
      return enrollment ?? null;
    },
    async savePending(userId, secret) {
      const bindings = { userId: asUuid(userId), secret };
      const [owner] = await db.query(savePending, bindings, (row: { is_guest: boolean }) => row);
      if (!owner) return 'no_user';
      return owner.is_guest ? 'guest' : 'kept';
    },
    confirm: ({ userId, epoch, pendingSecret, step, recoveryCodeHashes, now }) =>
      db.transaction(async (transaction) => {
        const locked = await lockUser(transaction, userId);
        if (!locked || locked.isGuest || !hasEpoch(locked, epoch)) return false;
        const bindings = { id: userId, pendingSecret: asText(pendingSecret), step, now: asTimestamp(now) };
        if ((await transaction.execute(activate, bindings)) === 0) return false;
        await putRecoveryCodes(transaction, userId, recoveryCodeHashes);
        await changeUser(transaction, { ...bindings, totpEnabled: true });
        return true;
      }),
    async advance(userId, secret, step) {
      const bindings = { userId: asUuid(userId), secret: asText(secret), step };
      return (await db.executePrepared('svc_totp_advance', advance, bindings)) === 1;
    },
    listSecrets: (prefix, after, limit) =>
      db.query(listSecrets, { prefix, after, limit }, (row: { user_id: string; secret: string }) => ({
        userId: row.user_id,
        secret: row.secret,
      })),
    async reencrypt(userId, from, to) {
      await db.execute(reencrypt, { userId: asUuid(userId), from: asText(from), to });
    },
    replaceRecoveryCodes: (userId, hashes, now, epoch) =>
      db.transaction(async (transaction) => {
        const locked = await lockUser(transaction, userId);
        if (!locked || !hasEpoch(locked, epoch)) return false;
        const confirmed = await transaction.query(isConfirmed, { id: userId }, () => true);
        if (confirmed.length === 0) return false;
        await putRecoveryCodes(transaction, userId, hashes);
        await changeUser(transaction, { id: userId, now: asTimestamp(now), totpEnabled: true });
        return true;
      }),
    async consumeRecoveryCode(userId, hashes) {
      const bindings = { userId: asUuid(userId), hashes: hashes.filter(isStorable) };
      return (await db.execute(consumeRecoveryCode, bindings)) > 0;
    },
    async countRecoveryCodes(userId) {
      const [row] = await db.query(
        countRecoveryCodes,
        { userId: asUuid(userId) },
        (each: { count: number }) => each,
      );
      return row?.count ?? 0;
    },
    disable: (userId, now, epoch, by) =>
      db.transaction(async (transaction) => {
        await admit(transaction, by, userId);
        const locked = await lockUser(transaction, userId);
        if (!locked || !hasEpoch(locked, epoch)) return false;
        const toWasEnabled = (row: { was_enabled: boolean }) => row.was_enabled;
        const [wasEnabled = false] = await transaction.query(remove, { id: userId }, toWasEnabled);
        await transaction.execute(removeRecoveryCodes, { id: userId });
        if (wasEnabled)
          await changeUser(transaction, { id: userId, now: asTimestamp(now), totpEnabled: false });
        return wasEnabled;
      }),
  };
}

async function putRecoveryCodes(
  transaction: Queryable,
  id: string,
  hashes: readonly string[],
): Promise<void> {
  await transaction.execute(removeRecoveryCodes, { id });
  await transaction.execute(insertRecoveryCodes, { id, hashes });
}

async function changeUser(transaction: Queryable, bindings: Bindings): Promise<void> {
  await transaction.execute(revokeSessions, bindings);
  await transaction.execute(updateUser, bindings);
}
