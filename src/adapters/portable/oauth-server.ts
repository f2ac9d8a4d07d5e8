/** `svc_oauth_clients`, `svc_oauth_grants`, `svc_oauth_tokens` and `svc_oauth_keys`: rows, mapping, queries. */
import { isOfClient, rotationOf, type OAuthGrant, type OAuthToken } from '../../domain/oauth-server.js';
import { isInForce } from '../../domain/user-block.js';
import type { StoredUser } from '../../domain/user.js';
import type {
  ActiveGrant,
  OAuthServerRepository,
  TokenChange,
} from '../../storage/oauth-server-repository.js';
import { asText, asUuid } from '../shared/bindings.js';
import type { Database, Queryable } from './database.js';
import { admit, lockUser, shareUser } from './locks.js';
import { oauthClients, oauthGrants, oauthKeys, oauthTokens } from './records.js';
import { assignmentsOf, columnsOf, readerOf, valuesOf, type Row } from './tables.js';
import { toUser, userColumns } from './users.js';

const toClient = readerOf(oauthClients, 'c');
const toGrant = readerOf(oauthGrants, 'g');
const toToken = readerOf(oauthTokens, 't');
const toKey = readerOf(oauthKeys, 'k');

const clientColumns = columnsOf(oauthClients, 'c');
const grantColumns = columnsOf(oauthGrants, 'g');
const tokenColumns = columnsOf(oauthTokens, 't');

const isLive = '(c.expires_at is null or c.expires_at > :now)';
const findClient = `select ${clientColumns} from svc_oauth_clients c where c.id = :id and ${isLive}`;
const listClients = `select ${clientColumns} from svc_oauth_clients c where ${isLive} order by c.created_at, c.id`;
const lockClient = `${findClient} {lock}`;
// Also of an expired one: its row is replaced when its document is fetched.
const clientById = `select c.id from svc_oauth_clients c where c.id = :id`;
const lockClientForRemoval = `${clientById} {lock}`;
const shareClient = `${clientById} {share}`;
const updateClient = `update svc_oauth_clients set metadata = :metadata where id = :id`;
const replaceClient = `
  update svc_oauth_clients set metadata = :metadata, created_at = :created_at, expires_at = :expires_at
  where id = :id and kind = :kind`;
const removeClient = `delete from svc_oauth_clients where id = :id`;

const isActive = 'user_id = :userId and revoked_at is null and expires_at > :now';
const shareSession = `select id from svc_sessions where id = :id and ${isActive} {share}`;
const shareFamily = `select id from svc_refresh_families where id = :id and ${isActive} {share}`;

const grantsWithUsers = `select ${grantColumns}, ${userColumns} from svc_oauth_grants g join svc_users u on u.id = g.user_id`;
const findGrant = `${grantsWithUsers} where g.id = :id`;
const lockGrant = `select ${grantColumns} from svc_oauth_grants g where g.id = :id {lock}`;
const findUser = `select ${userColumns} from svc_users u where u.id = :userId`;
const listGrants = `${grantsWithUsers} where g.user_id = :userId order by g.created_at desc, g.id desc`;
const listGrantsWithClients = `
  select ${grantColumns}, ${userColumns}, ${clientColumns} from svc_oauth_grants g join svc_users u on u.id = g.user_id
  left join svc_oauth_clients c on c.id = g.client_id
  where g.user_id = :userId order by g.created_at desc, g.id desc`;
const grantsOfClient = `select id from svc_oauth_grants where client_id = :clientId`;
const grantsFor = `${grantsOfClient} and user_id = :userId`;
const grantsOfUserTo = `${grantsWithUsers} where g.user_id = :userId and g.client_id = :clientId`;
const removeGrants = `delete from svc_oauth_grants where id in (:ids*)`;
const removeTokensOf = `delete from svc_oauth_tokens where grant_id in (:ids*)`;

const findToken = `select ${tokenColumns} from svc_oauth_tokens t where t.digest = :digest`;
const lockToken = `${findToken} {lock}`;
const findTokenByAlias = `select ${tokenColumns} from svc_oauth_tokens t where t.alias = :alias`;
const useToken = `
  update svc_oauth_tokens set used_at = :now where digest = :digest and used_at is null and expires_at > :now`;
const updateToken = `
  update svc_oauth_tokens set
    alias = :alias, grant_id = :grant_id, client_id = :client_id, data = :data, expires_at = :expires_at
  where digest = :digest`;
const changeToken = `update svc_oauth_tokens set data = :data, grant_id = :grant_id where digest = :digest`;
const removeToken = `delete from svc_oauth_tokens where digest = :digest`;
const findAccess = `
  select ${tokenColumns}, ${grantColumns}, ${userColumns} from svc_oauth_tokens t
  left join svc_oauth_grants g on g.id = t.grant_id left join svc_users u on u.id = g.user_id
  where t.digest = :digest and t.expires_at > :now
    and (t.client_id is null or exists (select 1 from svc_oauth_clients c where c.id = t.client_id and ${isLive}))`;

const listKeys = `select ${columnsOf(oauthKeys, 'k')} from svc_oauth_keys k order by k.created_at desc, k.id`;
const removeKeys = `delete from svc_oauth_keys where created_at < :createdBefore`;

/** Returns whether the grant has not ended. */
export function isActiveGrant(grant: OAuthGrant, user: StoredUser | null, now: Date): user is StoredUser {
  return user?.epoch === grant.epoch && grant.expiresAt > now && !isInForce(user.blocked, now.getTime());
}

function toActive(row: Row, now: Date): ActiveGrant | null {
  const [grant, user] = [toGrant(row), toUser(row)];
  return isActiveGrant(grant, user, now) ? { grant, user } : null;
}

async function update(on: Queryable, id: string, changes: Partial<OAuthGrant>): Promise<boolean> {
  const values = valuesOf(oauthGrants, changes);
  const statement = `update svc_oauth_grants set ${assignmentsOf(oauthGrants, values)} where id = :id`;
  return (await on.execute(statement, { ...values, id: asUuid(id) })) === 1;
}

/**
 * Locks a session or a refresh family of a locked user, and returns whether it is active: a sign-out of one browser locks its row alone, so
 * it waits for the grant.
 */
async function isSignedIn(on: Queryable, sessionId: string, userId: string, now: Date): Promise<boolean> {
  const bindings = { id: asUuid(sessionId), userId: asUuid(userId), now };
  for (const statement of [shareSession, shareFamily])
    if (await on.find(statement, bindings, () => true)) return true;
  return false;
}

/** Returns whether earlier grants of the same user to the same client have not ended. */
async function areActive(on: Queryable, ids: readonly string[], { userId, clientId }: OAuthGrant, now: Date) {
  if (ids.length === 0) return true;
  const bindings = { userId: asUuid(userId), clientId: asText(clientId) };
  const kept = await on.query(grantsOfUserTo, bindings, (row) => toActive(row, now));
  const keptIds = new Set(kept.flatMap((each) => each?.grant.id ?? []));
  return ids.every((id) => keptIds.has(id));
}

/** Removes grants and their tokens. Returns their number. */
async function remove(on: Queryable, ids: readonly string[]): Promise<number> {
  if (ids.length === 0) return 0;
  await on.execute(removeTokensOf, { ids });
  return on.execute(removeGrants, { ids });
}

/** Changes a token, as `changeToken` of the repository. */
async function change(on: Queryable, digest: string, now: Date, decide: TokenChange) {
  const token = await on.find(lockToken, { digest: asText(digest) }, toToken);
  if (!token || token.usedAt || token.expiresAt <= now) return null;
  const changes = decide(token);
  if (!changes) return null;
  const { data, grantId } = changes;
  const values = {
    ...valuesOf(oauthTokens, { data }),
    grant_id: grantId === null ? null : asUuid(grantId),
  };
  await on.execute(changeToken, { ...values, digest: asText(digest) });
  return { ...token, data, grantId };
}

const tokenValues = (token: OAuthToken) => ({
  ...valuesOf(oauthTokens, token),
  digest: asText(token.digest),
  alias: token.alias === null ? null : asText(token.alias),
  grant_id: token.grantId === null ? null : asUuid(token.grantId),
  client_id: token.clientId === null ? null : asText(token.clientId),
});

export function oauthServerQueries(db: Database): OAuthServerRepository {
  const unlessTaken = async (work: Promise<unknown>): Promise<boolean> => {
    try {
      await work;
      return true;
    } catch (error) {
      if (db.violatedKey(error) === null) throw error;
      return false;
    }
  };
  const idsOf = (on: Queryable, statement: string, bindings: Record<string, string | null>) =>
    on.query(statement, bindings, (row) => row['id'] as string);
  return {
    insertClient(client, by) {
      const values = { ...valuesOf(oauthClients, client), id: asText(client.id) };
      if (!by) return unlessTaken(db.execute(oauthClients.insertion, values));
      return unlessTaken(
        db.transaction(async (transaction) => {
          await admit(transaction, by, by.userId);
          await transaction.execute(oauthClients.insertion, values);
        }),
      );
    },
    async storeClient(client) {
      const values = { ...valuesOf(oauthClients, client), id: asText(client.id) };
      const isReplaced = async () => (await db.execute(replaceClient, values)) === 1;
      if (await isReplaced()) return true;
      if (await unlessTaken(db.execute(oauthClients.insertion, values))) return true;
      // Another process has inserted it, or it is of another kind.
      return isReplaced();
    },
    findClient: (id, now) => db.find(findClient, { id: asText(id), now }, toClient),
    listClients: (now) => db.query(listClients, { now }, toClient),
    updateClient: (id, now, decide, by) =>
      db.transaction(async (transaction) => {
        if (by) await admit(transaction, by, by.userId);
        const client = await transaction.find(lockClient, { id: asText(id), now }, toClient);
        if (!client) return null;
        const metadata = decide(client);
        await transaction.execute(updateClient, { ...valuesOf(oauthClients, { metadata }), id: client.id });
        return { ...client, metadata };
      }),
    removeClient: (id, by) =>
      db.transaction(async (transaction) => {
        if (by) await admit(transaction, by, by.userId);
        const bindings = { clientId: asText(id) };
        // A grant that is being inserted is seen then, and no other one begins.
        await transaction.find(lockClientForRemoval, { id: asText(id) }, () => true);
        await remove(transaction, await idsOf(transaction, grantsOfClient, bindings));
        return (await transaction.execute(removeClient, { id: asText(id) })) === 1;
      }),
    insertGrant: (grant, now, { sessionId, request, reliesOn = [] } = {}) =>
      db.transaction(async (transaction) => {
        const locked = await shareUser(transaction, grant.userId);
        if (!isActiveGrant(grant, locked?.user ?? null, now)) return false;
        if (sessionId !== undefined && !(await isSignedIn(transaction, sessionId, grant.userId, now)))
          return false;
        const clientId = asText(grant.clientId);
        if (!(await transaction.find(shareClient, { id: clientId }, () => true))) return false;
        if (!(await areActive(transaction, reliesOn, grant, now))) return false;
        if (request && !(await change(transaction, request.digest, now, request.change))) return false;
        const values = { ...valuesOf(oauthGrants, grant), client_id: clientId };
        await transaction.execute(oauthGrants.insertion, values);
        return true;
      }),
    findGrant: (id, now) => db.find(findGrant, { id: asUuid(id) }, (row) => toActive(row, now)),
    async listGrants(userId, now) {
      const all = await db.query(listGrants, { userId: asUuid(userId) }, (row) => toActive(row, now));
      return all.flatMap((active) => active?.grant ?? []);
    },
    async listGrantsWithClients(userId, now) {
      const all = await db.query(listGrantsWithClients, { userId: asUuid(userId) }, (row) => {
        const active = toActive(row, now);
        // Of a client without a row, every column is null.
        return active && { grant: active.grant, client: row['c_id'] === null ? null : toClient(row) };
      });
      return all.flatMap((each) => each ?? []);
    },
    async markGrantUsed(id, now) {
      await update(db, id, { lastUsedAt: now });
    },
    makeRenewable: (id, renewal, expiresAt) => update(db, id, { renewal, expiresAt }),
    rotate: ({ id, counter, graceMs, now, expiresAt }) =>
      db.transaction(async (transaction) => {
        const grant = await transaction.find(lockGrant, { id: asUuid(id) }, toGrant);
        if (!grant) return { status: 'invalid' };
        const user = await transaction.find(findUser, { userId: grant.userId }, toUser);
        if (!isActiveGrant(grant, user, now)) return { status: 'invalid' };
        const status = rotationOf(grant, { counter, graceMs, now });
        if (status === 'reused') await remove(transaction, [grant.id]);
        if (status !== 'rotated') return { status, grant };
        const changes = { counter: counter + 1, rotatedAt: now, lastUsedAt: now, expiresAt };
        await update(transaction, id, changes);
        return { status, grant: { ...grant, ...changes } };
      }),
    removeGrant: (id, userId) =>
      db.transaction(async (transaction) => {
        const grant = await transaction.find(lockGrant, { id: asUuid(id) }, toGrant);
        if (!grant || grant.userId !== (userId ?? grant.userId)) return null;
        return (await remove(transaction, [grant.id])) === 1 ? grant : null;
      }),
    removeGrantsFor: (userId, clientId) =>
      db.transaction(async (transaction) => {
        await lockUser(transaction, userId);
        const bindings = { userId: asUuid(userId), clientId: asText(clientId) };
        return remove(transaction, await idsOf(transaction, grantsFor, bindings));
      }),
    insertToken: (token) => unlessTaken(db.execute(oauthTokens.insertion, tokenValues(token))),
    async updateToken(token) {
      await db.execute(updateToken, tokenValues(token));
    },
    findToken: (digest) => db.find(findToken, { digest: asText(digest) }, toToken),
    findTokenByAlias: (alias) => db.find(findTokenByAlias, { alias: asText(alias) }, toToken),
    useToken: async (digest, now) => (await db.execute(useToken, { digest: asText(digest), now })) === 1,
    changeToken: (digest, now, decide) =>
      db.transaction((transaction) => change(transaction, digest, now, decide)),
    async removeToken(digest) {
      await db.execute(removeToken, { digest: asText(digest) });
    },
    async removeTokensOf(grantId) {
      await db.execute(removeTokensOf, { ids: [grantId].flatMap((id) => asUuid(id) ?? []) });
    },
    findAccess: (digest, now) =>
      db.find(findAccess, { digest: asText(digest), now }, (row) => {
        const token = toToken(row);
        if (isOfClient(token)) return { token, active: null };
        const active = row['g_id'] === null ? null : toActive(row, now);
        return active && { token, active };
      }),
    insertKey: (key) =>
      unlessTaken(db.execute(oauthKeys.insertion, { ...valuesOf(oauthKeys, key), id: asText(key.id) })),
    listKeys: () => db.query(listKeys, {}, toKey),
    async removeKeys(createdBefore) {
      await db.execute(removeKeys, { createdBefore });
    },
  };
}
