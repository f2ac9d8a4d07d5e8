/** `svc_trusted_browsers`: row, mapping, queries. Each counts while its user has its epoch. */
import type { TrustedBrowserRepository } from '../../storage/second-factor-repositories.js';
import { asUuid, isStorable } from '../shared/bindings.js';
import { epochOf } from '../shared/lockdown-columns.js';
import { asCredentialId } from './credentials.js';
import type { Database, Queryable } from './database.js';
import { lockUser, type LockedUser } from './locks.js';
import { trustedBrowsers } from './records.js';
import { columnsOf, readerOf, valuesOf } from './tables.js';

const columns = columnsOf(trustedBrowsers, 'b');
const toBrowser = readerOf(trustedBrowsers, 'b');

const ofUser = `select ${columns} from svc_trusted_browsers b where b.user_id = :userId`;

const list = `
  select ${columns}, case when exists (
    select 1 from svc_sessions s
    where s.user_id = b.user_id and s.trusted_browser_id = b.id and s.revoked_at is null and s.expires_at > :now
  ) then 1 else 0 end as is_signed_in
  from svc_trusted_browsers b join svc_users u on u.id = b.user_id and ${epochOf('u')} = b.epoch
  where b.user_id = :userId and b.expires_at > :now order by b.created_at desc, b.id desc`;

const hasPasskey = `select 1 as found from svc_credentials where id = :id and user_id = :userId`;

const isUsable = `user_id = :userId and epoch = :epoch and secret_hash in (:hashes*) and expires_at > :now`;

const findUsable = `select id from svc_trusted_browsers where ${isUsable}`;

// The hash again: in the meantime another browser may have got the id.
const use = `
  update svc_trusted_browsers set last_used_at = :now
  where id = :id and ${isUsable} and epoch = (select ${epochOf('u')} from svc_users u where u.id = :userId)`;

const remove = `delete from svc_trusted_browsers where user_id = :userId and id in (:ids*)`;

/** Removes every browser of the locked user, and returns how many of them counted. */
export async function removeTrust(transaction: Queryable, { user }: LockedUser): Promise<number> {
  const { id: userId, epoch } = user;
  const own = await transaction.query(ofUser, { userId }, toBrowser);
  await transaction.execute(remove, { userId, ids: own.map(({ id }) => id) });
  return own.filter((browser) => browser.epoch === epoch).length;
}

export function trustedBrowserQueries(db: Database): TrustedBrowserRepository {
  return {
    insert: (browser, replaces, credentialId) =>
      db.transaction(async (transaction) => {
        const { userId } = browser;
        const locked = await lockUser(transaction, userId);
        if (locked?.user.epoch !== browser.epoch) return null;
        if (credentialId !== undefined) {
          const passkey = { id: asCredentialId(credentialId), userId };
          if (!(await transaction.find(hasPasskey, passkey, () => true))) return null;
        }
        const own = await transaction.query(ofUser, { userId }, toBrowser);
        const replaced = own.filter(({ secretHash }) => replaces.includes(secretHash));
        await transaction.execute(remove, { userId, ids: replaced.map(({ id }) => id) });
        const id = replaced[0]?.id ?? browser.id;
        const values = valuesOf(trustedBrowsers, browser);
        await transaction.execute(trustedBrowsers.insertion, { ...values, id: asUuid(id) });
        return { id, replaced: replaced.map(({ secretHash }) => secretHash) };
      }),
    async use(userId, epoch, hashes, now) {
      const bindings = { userId: asUuid(userId), epoch, hashes: hashes.filter(isStorable), now };
      const id = await db.find(findUsable, bindings, (row) => row['id'] as string);
      return id !== null && (await db.execute(use, { ...bindings, id })) === 1 ? id : null;
    },
    list: (userId, now) =>
      db.query(list, { userId: asUuid(userId), now }, (row) => ({
        ...toBrowser(row),
        isSignedIn: Number(row['is_signed_in']) === 1,
      })),
    revoke: (userId, id) =>
      db.transaction(async (transaction) => {
        const locked = await lockUser(transaction, userId);
        const own = locked ? await transaction.query(ofUser, { userId }, toBrowser) : [];
        const browser = own.find((each) => each.id === id);
        if (!locked || !browser) return false;
        await transaction.execute(remove, { userId, ids: [id] });
        return browser.epoch === locked.user.epoch;
      }),
    revokeAll: (userId) =>
      db.transaction(async (transaction) => {
        const locked = await lockUser(transaction, userId);
        return locked ? removeTrust(transaction, locked) : 0;
      }),
  };
}
