/** `svc_trusted_browsers` on the hot path: the lookup of a sign-in. A row counts while its user has its epoch. */
import type { TrustedBrowserRepository } from '../../storage/second-factor-repositories.js';
import { asTimestamp, asUuid, isStorable } from '../shared/bindings.js';
import { epochOf } from '../shared/lockdown-columns.js';
import type { Database } from './database.js';

const use = `
  update svc_trusted_browsers as b set last_used_at = :now from svc_users as u
  where u.id = :userId and ${epochOf('u')} = :epoch and b.id = (
    select id from svc_trusted_browsers
    where secret_hash = any(cast(:hashes as text[])) and user_id = :userId and epoch = :epoch
      and expires_at > :now
    limit 1)
  returning b.id`;

export function trustedBrowserQueries(db: Database): Pick<TrustedBrowserRepository, 'use'> {
  return {
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
  };
}
