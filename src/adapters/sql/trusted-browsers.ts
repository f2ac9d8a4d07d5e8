/** `svc_trusted_browsers`: row, mapping, queries. A row counts while its user has its epoch. */
import type { DeviceInfo } from '../../domain/session.js';
import type { StoredTrustedBrowser } from '../../domain/trusted-browser.js';
import type { TrustedBrowserRepository } from '../../storage/second-factor-repositories.js';
import {
  epochMs,
  isStorable,
  readOptionalTime,
  readTime,
  asJsonb,
  asText,
  asTimestamp,
  asUuid,
} from './bindings.js';
import type { Database } from './database.js';
import { hasEpoch, lockUser } from './locks.js';

interface BrowserRow {
  id: string;
  user_id: string;
  secret_hash: string;
  epoch: number;
  device: string;
  created_at_ms: string;
  last_used_at_ms: string | null;
  expires_at_ms: string;
}

interface ReplacedRow {
  id: string;
  secret_hash: string;
}

function toBrowser(row: BrowserRow): StoredTrustedBrowser {
  return {
    id: row.id,
    userId: row.user_id,
    secretHash: row.secret_hash,
    epoch: row.epoch,
    device: JSON.parse(row.device) as DeviceInfo,
    createdAt: readTime(row.created_at_ms),
    lastUsedAt: readOptionalTime(row.last_used_at_ms),
    expiresAt: readTime(row.expires_at_ms),
  };
}

const removeReplaced = `
  delete from svc_trusted_browsers
  where user_id = :userId and secret_hash = any(cast(:replaces as text[])) returning id, secret_hash`;

const hasPasskey = `select true as found from svc_credentials where id = :credentialId and user_id = :userId`;

const insert = `
  insert into svc_trusted_browsers (id, user_id, secret_hash, epoch, device, created_at, last_used_at, expires_at)
  values (:id, :userId, :secretHash, :epoch, cast(:device as jsonb), :createdAt, :lastUsedAt, :expiresAt)`;

const use = `
  update svc_trusted_browsers as b set last_used_at = :now from svc_users as u
  where u.id = :userId and u.epoch = :epoch and b.id = (
    select id from svc_trusted_browsers
    where secret_hash = any(cast(:hashes as text[])) and user_id = :userId and epoch = :epoch
      and expires_at > :now
    limit 1)
  returning b.id`;

const list = `
  select b.id, b.user_id, b.secret_hash, b.epoch, cast(b.device as text) as device,
    ${epochMs('b.created_at')} as created_at_ms, ${epochMs('b.last_used_at')} as last_used_at_ms,
    ${epochMs('b.expires_at')} as expires_at_ms
  from svc_trusted_browsers b join svc_users u on u.id = b.user_id and u.epoch = b.epoch
  where b.user_id = :userId and b.expires_at > :now
  order by b.created_at desc, b.id desc`;

const revoke = `
  delete from svc_trusted_browsers as b using svc_users as u
  where b.id = :id and b.user_id = :userId and u.id = b.user_id
  returning u.epoch = b.epoch as counted`;

const revokeAll = `
  delete from svc_trusted_browsers as b using svc_users as u
  where b.user_id = :userId and u.id = b.user_id
  returning u.epoch = b.epoch as counted`;

const toCounted = (row: { counted: boolean }) => row.counted;

export function trustedBrowserQueries(db: Database): TrustedBrowserRepository {
  return {
    insert: (browser, replaces, credentialId) =>
      db.transaction(async (transaction) => {
        const locked = await lockUser(transaction, browser.userId);
        if (!locked || !hasEpoch(locked, browser.epoch)) return null;
        const { userId } = browser;
        if (credentialId !== undefined) {
          const bindings = { userId, credentialId: asText(credentialId) };
          if ((await transaction.query(hasPasskey, bindings, () => true)).length === 0) return null;
        }
        const bindings = { userId, replaces: replaces.filter(isStorable) };
        const removed = await transaction.query(removeReplaced, bindings, (row: ReplacedRow) => row);
        const id = removed[0]?.id ?? browser.id;
        await transaction.execute(insert, {
          id: asUuid(id),
          userId,
          secretHash: asText(browser.secretHash),
          epoch: browser.epoch,
          device: asJsonb(browser.device),
          createdAt: asTimestamp(browser.createdAt),
          lastUsedAt: browser.lastUsedAt && asTimestamp(browser.lastUsedAt),
          expiresAt: asTimestamp(browser.expiresAt),
        });
        return { id, replaced: removed.map((row) => row.secret_hash) };
      }),
    async use(userId, epoch, hashes, now) {
      const bindings = {
        userId: asUuid(userId),
        epoch,
        hashes: hashes.filter(isStorable),
        now: asTimestamp(now),
      };
      const toId = (row: { id: string }) => row.id;
      const [id] = await db.queryPrepared('svc_trusted_browser_use', use, bindings, toId);
      return id ?? null;
    },
    list: (userId, now) => db.query(list, { userId: asUuid(userId), now: asTimestamp(now) }, toBrowser),
    // Under the lock: a browser that `insert` replaces in the meantime keeps its id.
    revoke: (userId, id) =>
      db.transaction(async (transaction) => {
        if (!(await lockUser(transaction, userId))) return false;
        const [counted = false] = await transaction.query(revoke, { userId, id: asUuid(id) }, toCounted);
        return counted;
      }),
    revokeAll: (userId) =>
      db.transaction(async (transaction) => {
        if (!(await lockUser(transaction, userId))) return 0;
        return (await transaction.query(revokeAll, { userId }, toCounted)).filter(Boolean).length;
      }),
  };
}
