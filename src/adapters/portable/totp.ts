/**
 * `svc_totp`, `svc_totp_apps` and `svc_recovery_codes`. Changes that enable or disable the second
 * factor lock the user's row first (locks.ts) and end every session.
 */
import type { SecondFactors } from '../../domain/second-factor.js';
import type { TotpConfirmation, TotpRepository } from '../../storage/second-factor-repositories.js';
import { asLabel, asText, asUuid } from '../shared/bindings.js';
import type { Database, Queryable } from './database.js';
import { limitOf } from './list-range.js';
import { admit, hasEpoch, lockUser, type LockedUser } from './locks.js';
import { apps, enrollments, type AppFields, type EnrollmentFields } from './records.js';
import { recoveryCodeQueries } from './recovery-codes.js';
import { endSessions, executeAll } from './revocations.js';
import { columnsOf, readerOf, valuesOf } from './tables.js';

const toEnrollment = readerOf(enrollments, 't');
const toApp = readerOf(apps, 'a');

const find = `select ${columnsOf(enrollments, 't')} from svc_totp t where t.user_id = :userId`;
const findApps = `select ${columnsOf(apps, 'a')} from svc_totp_apps a where a.user_id = :userId order by a.place`;

const findFactors = `
  select ${columnsOf(enrollments, 't')},
    (select count(*) from svc_credentials c where c.user_id = t.user_id) as passkeys,
    (select count(*) from svc_recovery_codes r where r.user_id = t.user_id) as recovery_codes
  from svc_totp t
  where t.user_id = :userId and exists (select 1 from svc_totp_apps a where a.user_id = t.user_id)`;

const put = `${enrollments.insertion} {merge user_id; pending_secret}`;
const clearPending = `update svc_totp set pending_secret = null where user_id = :id`;
const setEmail = `update svc_totp set email_factor = :enabled where user_id = :id`;
const setPreferred = `update svc_totp set preferred_method = :method where user_id = :id`;

const removeApps = `delete from svc_totp_apps where user_id = :id`;
const removeApp = `delete from svc_totp_apps where user_id = :userId and id = :appId`;
const rename = `update svc_totp_apps set name = :name where user_id = :userId and id = :appId`;
// A secret is encrypted with a random nonce, so that only one app has this ciphertext.
const advance = `
  update svc_totp_apps set last_step = :step, last_used_at = :now
  where user_id = :userId and secret = :secret and last_step < :step`;
const reencrypt = `update svc_totp_apps set secret = :to where user_id = :userId and secret = :from`;

const isOther = 'substr(a.secret, 1, :length) <> :prefix';
const findOwners = `
  select distinct a.user_id as user_id from svc_totp_apps a where ${isOther} and a.user_id > :after order by a.user_id`;
const findSecrets = `
  select a.user_id as user_id, a.secret as secret from svc_totp_apps a
  where a.user_id in (:ids*) and ${isOther} order by a.user_id, a.place`;

const countSecrets = `select count(*) as secrets from svc_totp_apps a where ${isOther}`;

const removeCodes = `delete from svc_recovery_codes where user_id = :id`;
const insertCode = `insert into svc_recovery_codes (user_id, code_hash) values (:id, :hash)`;

const removeAll = [removeApps, `delete from svc_totp where user_id = :id`, removeCodes];

const nameOf = (name: string | null | undefined) => (name == null ? null : asLabel(name));

async function insertApp(
  transaction: Queryable,
  confirmation: Omit<TotpConfirmation, 'recoveryCodeHashes'>,
  place: number,
): Promise<void> {
  const { userId, appId = userId, name, pendingSecret: secret, step: lastStep, now } = confirmation;
  const app: AppFields = {
    ...{ id: appId, userId, place, name: nameOf(name), secret, lastStep },
    ...{ createdAt: now, lastUsedAt: null },
  };
  await transaction.execute(apps.insertion, { ...valuesOf(apps, app), id: asUuid(appId) });
}

async function putRecoveryCodes(
  transaction: Queryable,
  id: string,
  hashes: readonly string[],
): Promise<void> {
  await transaction.execute(removeCodes, { id });
  for (const hash of new Set(hashes)) await transaction.execute(insertCode, { id, hash });
}

/** The second factor of a locked user. */
interface Locked extends LockedUser {
  enrollment: EnrollmentFields | null;
  apps: AppFields[];
}

/** Ends every session of the locked user. */
const end = (transaction: Queryable, { user }: LockedUser, now: Date, totpEnabled = true) =>
  endSessions(transaction, user, now, { totpEnabled, updatedAt: now });

/** Returns whether a second factor was enabled. */
async function removeSecondFactor(transaction: Queryable, locked: Locked, now: Date): Promise<boolean> {
  await executeAll(transaction, removeAll, locked.user.id);
  if (locked.apps.length > 0) await end(transaction, locked, now, false);
  return locked.apps.length > 0;
}

// Secrets to compare are bound with `asText`, secrets to store are not: a secret that cannot be
// stored must be an error and must not become null, which means that there is no secret.
export function totpQueries(db: Database): TotpRepository {
  /** Runs `work` under the lock of the user. `otherwise` if the user does not exist or has another epoch. */
  const change = <Result>(
    userId: string,
    epoch: number | undefined,
    otherwise: Result,
    work: (transaction: Queryable, locked: Locked) => Promise<Result>,
  ): Promise<Result> =>
    db.transaction(async (transaction) => {
      const locked = await lockUser(transaction, userId);
      if (!locked || !hasEpoch(locked, epoch)) return otherwise;
      const enrollment = await transaction.find(find, { userId }, toEnrollment);
      const own = await transaction.query(findApps, { userId }, toApp);
      return work(transaction, { ...locked, enrollment, apps: own });
    });
  const isPending = ({ enrollment }: Locked, secret: string) => enrollment?.pendingSecret === secret;

  return {
    async find(userId) {
      const owner = { userId: asUuid(userId) };
      const enrollment = await db.find(find, owner, toEnrollment);
      if (!enrollment) return null;
      const [first] = await db.query(findApps, owner, toApp);
      const { secret = null, lastStep = 0, createdAt: confirmedAt = null } = first ?? {};
      return { userId, secret, lastStep, pendingSecret: enrollment.pendingSecret, confirmedAt };
    },
    async listApps(userId) {
      const own = await db.query(findApps, { userId: asUuid(userId) }, toApp);
      return own.map(({ place: _, ...app }) => app);
    },
    findFactors: (userId) =>
      db.find(findFactors, { userId: asUuid(userId) }, (row): SecondFactors => {
        const { emailFactor: email, preferredMethod: preferred } = toEnrollment(row);
        const [passkeys, recoveryCodes] = [Number(row['passkeys']), Number(row['recovery_codes'])];
        return { email, passkeys, recoveryCodes, preferred };
      }),
    savePending: (userId, pendingSecret) =>
      change<'kept' | 'no_user' | 'guest'>(userId, undefined, 'no_user', async (transaction, { isGuest }) => {
        if (isGuest) return 'guest';
        const fields = { userId, pendingSecret, emailFactor: false, preferredMethod: null };
        await transaction.execute(put, valuesOf(enrollments, fields));
        return 'kept';
      }),
    confirm: ({ recoveryCodeHashes, epoch, ...confirmation }) =>
      change(confirmation.userId, epoch, false, async (transaction, locked) => {
        const { userId: id, pendingSecret, now } = confirmation;
        if (locked.isGuest || !isPending(locked, pendingSecret)) return false;
        await transaction.execute(removeApps, { id });
        await insertApp(transaction, confirmation, 0);
        await transaction.execute(clearPending, { id });
        await putRecoveryCodes(transaction, id, recoveryCodeHashes);
        await end(transaction, locked, now);
        return true;
      }),
    addApp: ({ epoch, maxApps, ...addition }) =>
      change<'added' | 'too_many' | 'refused'>(
        addition.userId,
        epoch,
        'refused',
        async (transaction, locked) => {
          const last = locked.apps.at(-1);
          if (!last || !isPending(locked, addition.pendingSecret)) return 'refused';
          if (locked.apps.length >= maxApps) return 'too_many';
          await insertApp(transaction, addition, last.place + 1);
          await transaction.execute(clearPending, { id: addition.userId });
          await end(transaction, locked, addition.now);
          return 'added';
        },
      ),
    renameApp: (userId, id, name) =>
      change(userId, undefined, false, async (transaction, locked) => {
        if (!locked.apps.some((app) => app.id === id)) return false;
        await transaction.execute(rename, { userId, appId: id, name: nameOf(name) });
        return true;
      }),
    removeApp: (userId, id, now, epoch) =>
      change<'removed' | 'disabled' | 'refused'>(userId, epoch, 'refused', async (transaction, locked) => {
        if (!locked.apps.some((app) => app.id === id)) return 'refused';
        if (locked.apps.length === 1) {
          await removeSecondFactor(transaction, locked, now);
          return 'disabled';
        }
        await transaction.execute(removeApp, { userId, appId: id });
        await end(transaction, locked, now);
        return 'removed';
      }),
    async advance(userId, secret, step, now) {
      const bindings = { userId: asUuid(userId), secret: asText(secret), step, now };
      return (await db.execute(advance, bindings)) === 1;
    },
    setEmail: (userId, enabled, now, epoch) =>
      change(userId, epoch, false, async (transaction, locked) => {
        if (locked.apps.length === 0 || locked.enrollment?.emailFactor === enabled) return false;
        await transaction.execute(setEmail, { id: userId, enabled });
        await end(transaction, locked, now);
        return true;
      }),
    setPreferred: (userId, method) =>
      change(userId, undefined, false, async (transaction, locked) => {
        if (locked.apps.length === 0) return false;
        await transaction.execute(setPreferred, { id: userId, method });
        return true;
      }),
    async listSecrets(prefix, after, limit) {
      const bindings = { prefix, length: [...prefix].length };
      const owners = await db.query(
        `${findOwners} ${limitOf(limit)}`,
        { ...bindings, after: after ?? '' },
        (row) => row['user_id'] as string,
      );
      return db.query(findSecrets, { ...bindings, ids: owners }, (row) => ({
        userId: row['user_id'] as string,
        secret: row['secret'] as string,
      }));
    },
    async countSecrets(prefix) {
      const bindings = { prefix, length: [...prefix].length };
      return (await db.find(countSecrets, bindings, (row) => Number(row['secrets']))) ?? 0;
    },
    async reencrypt(userId, from, to) {
      await db.execute(reencrypt, { userId: asUuid(userId), from: asText(from), to });
    },
    replaceRecoveryCodes: (userId, hashes, now, epoch) =>
      change(userId, epoch, false, async (transaction, locked) => {
        if (locked.apps.length === 0) return false;
        await putRecoveryCodes(transaction, userId, hashes);
        await end(transaction, locked, now);
        return true;
      }),
    ...recoveryCodeQueries(db),
    disable: (userId, now, epoch, by) =>
      db.transaction(async (transaction) => {
        await admit(transaction, by, userId);
        const locked = await lockUser(transaction, userId);
        if (!locked || !hasEpoch(locked, epoch)) return false;
        const own = await transaction.query(findApps, { userId }, toApp);
        return removeSecondFactor(transaction, { ...locked, enrollment: null, apps: own }, now);
      }),
  };
}
