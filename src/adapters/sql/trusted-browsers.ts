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
  where user_id = :userId and secret_hash = any(cast(:replaces as text[])) returning secret_hash`;

const insert = `
  insert into svc_trusted_browsers (id, user_id, secret_hash, epoch, device, created_at, last_used_at, expires_at)
  values (:id, :userId, :secretHash, :epoch, cast(:device as jsonb), :createdAt, :lastUsedAt, :expiresAt)`;

const use = `
  update svc_trusted_browsers as b set last_used_at = :now from svc_users as u
  where u.id = :userId and u.epoch = :epoch and b.id = (
    select id from svc_trusted_browsers
    where secret_hash = any(cast(:hashes as text[])) and user_id = :userId and epoch = :epoch
      and expires_at > :now
    limit 1)`;

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
    insert: (browser, replaces) =>
      db.transaction(async (transaction) => {
        const locked = await lockUser(transaction, browser.userId);
        if (!locked || !hasEpoch(locked, browser.epoch)) return null;
        const { userId } = browser;
        const replaced = { userId, replaces: replaces.filter(isStorable) };
        const toHash = (row: { secret_hash: string }) => row.secret_hash;
        const removed = await transaction.query(removeReplaced, replaced, toHash);
        await transaction.execute(insert, {
          id: asUuid(browser.id),
          userId,
          secretHash: asText(browser.secretHash),
          epoch: browser.epoch,
          device: asJsonb(browser.device),
          createdAt: asTimestamp(browser.createdAt),
          lastUsedAt: browser.lastUsedAt && asTimestamp(browser.lastUsedAt),
          expiresAt: asTimestamp(browser.expiresAt),
        });
        return removed;
      }),
    async use(userId, epoch, hashes, now) {
      const bindings = {
        userId: asUuid(userId),
        epoch,
        hashes: hashes.filter(isStorable),
        now: asTimestamp(now),
      };
      return (await db.executePrepared('svc_trusted_browser_use', use, bindings)) === 1;
    },
    list: (userId, now) => db.query(list, { userId: asUuid(userId), now: asTimestamp(now) }, toBrowser),
    async revoke(userId, id) {
      const [counted = false] = await db.query(revoke, { userId: asUuid(userId), id: asUuid(id) }, toCounted);
      return counted;
    },
    revokeAll: (userId) =>
      db.transaction(async (transaction) => {
        if (!(await lockUser(transaction, userId))) return 0;
        return (await transaction.query(revokeAll, { userId }, toCounted)).filter(Boolean).length;
      }),
  };
}
