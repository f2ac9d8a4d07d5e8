/**
 * The authenticator apps of a user: the first one in `svc_totp`, where the previous release reads
 * it, and the others in `svc_totp_apps`.
 */
import type { TotpApp } from '../../domain/totp.js';
import type { StoredUser } from '../../domain/user.js';
import type { TotpRepository } from '../../storage/second-factor-repositories.js';
import { asLabel, asText, asTimestamp, asUuid, readOptionalTime, readTime } from '../shared/bindings.js';
import { epochMs } from './expressions.js';
import type { Database, Queryable } from './database.js';
import type { LockedUser } from '../portable/locks.js';

interface AppRow {
  id: string;
  user_id: string;
  name: string | null;
  secret: string;
  last_step: number;
  created_at_ms: string;
  last_used_at_ms: string | null;
}

function toApp(row: AppRow): TotpApp {
  return {
    id: row.id,
    userId: row.user_id,
    name: row.name,
    secret: row.secret,
    lastStep: row.last_step,
    createdAt: readTime(row.created_at_ms),
    lastUsedAt: readOptionalTime(row.last_used_at_ms),
  };
}

const firstAppId = `coalesce(t.app_id, t.user_id)`;

const listApps = `
  select 0 as place, ${firstAppId} as id, t.user_id, t.name, t.secret, t.last_step, t.confirmed_at as created_at,
    ${epochMs('t.confirmed_at')} as created_at_ms, ${epochMs('t.last_used_at')} as last_used_at_ms
  from svc_totp t where t.user_id = :userId and t.secret is not null
  union all
  select 1, a.id, a.user_id, a.name, a.secret, a.last_step, a.created_at,
    ${epochMs('a.created_at')}, ${epochMs('a.last_used_at')}
  from svc_totp_apps a where a.user_id = :userId
  order by place, created_at, id`;

// A secret is encrypted with a random nonce, so that only one app has this ciphertext.
const advance = `
  with first_app as (
    update svc_totp set last_step = :step, last_used_at = :now
    where user_id = :userId and secret = :secret and last_step < :step returning 1),
  other_app as (
    update svc_totp_apps set last_step = :step, last_used_at = :now
    where user_id = :userId and secret = :secret and last_step < :step returning 1)
  select 1 from first_app union all select 1 from other_app`;

const rename = `
  with first_app as (
    update svc_totp as t set name = :name
    where t.user_id = :userId and t.secret is not null and ${firstAppId} = :appId returning 1),
  other_app as (
    update svc_totp_apps set name = :name where user_id = :userId and id = :appId returning 1)
  select 1 from first_app union all select 1 from other_app`;

const reencrypt = `
  with first_app as (update svc_totp set secret = :to where user_id = :userId and secret = :from)
  update svc_totp_apps set secret = :to where user_id = :userId and secret = :from`;

const listSecrets = `
  select t.user_id, s.secret
  from (
    select t.user_id, t.secret from svc_totp t
    where t.secret is not null and (cast(:after as uuid) is null or t.user_id > cast(:after as uuid))
      and (not starts_with(t.secret, :prefix) or exists (
        select from svc_totp_apps a where a.user_id = t.user_id and not starts_with(a.secret, :prefix)))
    order by t.user_id limit :limit) as t
  cross join lateral (
    select t.secret union all select a.secret from svc_totp_apps a where a.user_id = t.user_id) as s
  where not starts_with(s.secret, :prefix)
  order by t.user_id`;

const countSecrets = `
  select cast(
    (select count(*) from svc_totp where secret is not null and not starts_with(secret, :prefix))
    + (select count(*) from svc_totp_apps where not starts_with(secret, :prefix)) as integer) as secrets`;

const findPending = `
  select cast(count(a.id) as integer) as other_apps
  from svc_totp t left join svc_totp_apps a on a.user_id = t.user_id
  where t.user_id = :id and t.secret is not null and t.pending_secret = :pendingSecret
  group by t.user_id`;

const addOther = `
  with added as (
    insert into svc_totp_apps (id, user_id, name, secret, last_step, created_at)
    values (:appId, :id, :name, :pendingSecret, :step, :now))
  update svc_totp set pending_secret = null where user_id = :id`;

const removeOther = `delete from svc_totp_apps where user_id = :id and id = :appId`;

// Waits for a code of the app that is being accepted, and then moves its last step.
const replaceFirst = `
  with moved as (
    delete from svc_totp_apps where id = (
      select id from svc_totp_apps where user_id = :id order by created_at, id limit 1)
    returning *)
  update svc_totp as t
  set app_id = moved.id, name = moved.name, secret = moved.secret, last_step = moved.last_step,
    confirmed_at = moved.created_at, last_used_at = moved.last_used_at
  from moved where t.user_id = :id and t.secret is not null and ${firstAppId} = :appId`;

const isFirst = `
  select from svc_totp t where t.user_id = :id and t.secret is not null and ${firstAppId} = :appId`;

/** What totp.ts does for every change of a second factor. */
interface Changes {
  change: <Result>(
    db: Database,
    userId: string,
    epoch: number | undefined,
    work: (transaction: Queryable, locked: LockedUser) => Promise<Result>,
  ) => Promise<Result | false>;
  end: (transaction: Queryable, user: StoredUser, now: Date) => Promise<void>;
  removeSecondFactor: (transaction: Queryable, user: StoredUser, now: Date) => Promise<boolean>;
}

type AppQueries = Pick<
  TotpRepository,
  'listApps' | 'addApp' | 'renameApp' | 'removeApp' | 'advance' | 'listSecrets' | 'countSecrets' | 'reencrypt'
>;

export function totpAppQueries(db: Database, { change, end, removeSecondFactor }: Changes): AppQueries {
  return {
    listApps: (userId) => db.queryPrepared('svc_totp_apps', listApps, { userId: asUuid(userId) }, toApp),
    async addApp({ userId, epoch, pendingSecret, step, now, appId, name = null, maxApps }) {
      const outcome = await change(db, userId, epoch, async (transaction, { user }) => {
        const bindings = { id: userId, pendingSecret: asText(pendingSecret) };
        const toOtherApps = (row: { other_apps: number }) => row.other_apps;
        const [otherApps] = await transaction.query(findPending, bindings, toOtherApps);
        if (otherApps === undefined) return 'refused';
        if (otherApps + 1 >= maxApps) return 'too_many';
        const app = { appId: asUuid(appId), name: name === null ? null : asLabel(name), step };
        await transaction.execute(addOther, { ...bindings, ...app, now: asTimestamp(now) });
        await end(transaction, user, now);
        return 'added';
      });
      return outcome === false ? 'refused' : outcome;
    },
    async renameApp(userId, id, name) {
      const bindings = {
        userId: asUuid(userId),
        appId: asUuid(id),
        name: name === null ? null : asLabel(name),
      };
      return (await db.query(rename, bindings, () => true)).length > 0;
    },
    async removeApp(userId, id, now, epoch) {
      const outcome = await change(db, userId, epoch, async (transaction, { user }) => {
        const bindings = { id: userId, appId: asUuid(id) };
        const isOther = (await transaction.execute(removeOther, bindings)) === 1;
        if (!isOther && (await transaction.query(isFirst, bindings, () => true)).length === 0)
          return 'refused';
        if (!isOther && (await transaction.execute(replaceFirst, bindings)) === 0) {
          await removeSecondFactor(transaction, user, now);
          return 'disabled';
        }
        await end(transaction, user, now);
        return 'removed';
      });
      return outcome === false ? 'refused' : outcome;
    },
    async advance(userId, secret, step, now) {
      const bindings = { userId: asUuid(userId), secret: asText(secret), step, now: asTimestamp(now) };
      return (await db.queryPrepared('svc_totp_advance', advance, bindings, () => true)).length === 1;
    },
    listSecrets: (prefix, after, limit) =>
      db.query(listSecrets, { prefix, after, limit }, (row: { user_id: string; secret: string }) => ({
        userId: row.user_id,
        secret: row.secret,
      })),
    async countSecrets(prefix) {
      const toCount = (row: { secrets: number }) => row.secrets;
      return (await db.find(countSecrets, { prefix }, toCount)) ?? 0;
    },
    async reencrypt(userId, from, to) {
      await db.execute(reencrypt, { userId: asUuid(userId), from: asText(from), to });
    },
  };
}
