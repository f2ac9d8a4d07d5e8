/** The records of the OAuth server in memory. */
import {
  isOfClient,
  rotationOf,
  type OAuthClient,
  type OAuthGrant,
  type OAuthToken,
} from '../../domain/oauth-server.js';
import { isInForce } from '../../domain/user-block.js';
import type {
  ActiveGrant,
  OAuthServerRepository,
  TokenChange,
} from '../../storage/oauth-server-repository.js';
import { copy } from './copy.js';
import { byAge, removeWhere, type Tables } from './tables.js';
import { admit } from './users.js';

const isLive = ({ expiresAt }: OAuthClient, now: Date) => expiresAt === null || expiresAt > now;

export function memoryOAuthServer(tables: Tables): OAuthServerRepository {
  const { families, sessions, users, oauthClients, oauthGrants, oauthKeys, oauthTokens } = tables;

  function active(grant: OAuthGrant | undefined, now: Date): ActiveGrant | null {
    const user = users.get(grant?.userId ?? '');
    const isActive =
      grant &&
      user?.epoch === grant.epoch &&
      grant.expiresAt > now &&
      !isInForce(user.blocked, now.getTime());
    return isActive ? copy({ grant, user }) : null;
  }

  function isSignedIn(sessionId: string, userId: string, now: Date): boolean {
    const session = sessions.get(sessionId) ?? families.get(sessionId);
    return session?.userId === userId && session.revokedAt === null && session.expiresAt > now;
  }

  function grantsOf(userId: string, now: Date): OAuthGrant[] {
    const own = [...oauthGrants.values()].filter((grant) => grant.userId === userId && active(grant, now));
    return own.sort(byAge(({ id }) => id)).reverse();
  }

  function remove(isMatch: (grant: OAuthGrant) => boolean): number {
    const ids = [...oauthGrants.values()].filter(isMatch).map(({ id }) => id);
    removeWhere(oauthTokens, ({ grantId }) => ids.includes(grantId ?? ''));
    return removeWhere(oauthGrants, ({ id }) => ids.includes(id));
  }

  function changed(digest: string, now: Date, change: TokenChange): OAuthToken | null {
    const token = oauthTokens.get(digest);
    if (!token || token.usedAt || token.expiresAt <= now) return null;
    const changes = change(copy(token));
    if (!changes) return null;
    const { data, grantId } = changes;
    Object.assign(token, copy({ data, grantId }));
    return copy(token);
  }

  const isTaken = ({ digest, alias }: OAuthToken) =>
    oauthTokens.has(digest) ||
    [...oauthTokens.values()].some((each) => alias !== null && each.alias === alias);

  return {
    async insertClient(client, by) {
      admit(tables, by);
      if (oauthClients.has(client.id)) return false;
      oauthClients.set(client.id, copy(client));
      return true;
    },
    async storeClient(client) {
      if ((oauthClients.get(client.id)?.kind ?? client.kind) !== client.kind) return false;
      oauthClients.set(client.id, copy(client));
      return true;
    },
    async findClient(id, now) {
      const client = oauthClients.get(id);
      return client && isLive(client, now) ? copy(client) : null;
    },
    async listClients(now) {
      const live = [...oauthClients.values()].filter((client) => isLive(client, now));
      return copy(live.sort(byAge(({ id }) => id)));
    },
    async updateClient(id, now, change, by) {
      admit(tables, by);
      const client = oauthClients.get(id);
      if (!client || !isLive(client, now)) return null;
      const changed = { ...client, metadata: copy(change(copy(client))) };
      oauthClients.set(id, changed);
      return copy(changed);
    },
    async removeClient(id, by) {
      admit(tables, by);
      remove(({ clientId }) => clientId === id);
      return oauthClients.delete(id);
    },
    async insertGrant(grant, now, { sessionId, request, reliesOn = [] } = {}) {
      if (!active(grant, now) || !oauthClients.has(grant.clientId)) return false;
      if (sessionId !== undefined && !isSignedIn(sessionId, grant.userId, now)) return false;
      const isKept = (id: string) => {
        const earlier = active(oauthGrants.get(id), now)?.grant;
        return earlier?.userId === grant.userId && earlier.clientId === grant.clientId;
      };
      if (!reliesOn.every(isKept)) return false;
      if (request && !changed(request.digest, now, request.change)) return false;
      oauthGrants.set(grant.id, copy(grant));
      return true;
    },
    async findGrant(id, now) {
      return active(oauthGrants.get(id), now);
    },
    async listGrants(userId, now) {
      return copy(grantsOf(userId, now));
    },
    async listGrantsWithClients(userId, now) {
      return copy(
        grantsOf(userId, now).map((grant) => ({ grant, client: oauthClients.get(grant.clientId) ?? null })),
      );
    },
    async markGrantUsed(id, now) {
      const grant = oauthGrants.get(id);
      if (grant) grant.lastUsedAt = copy(now);
    },
    async makeRenewable(id, renewal, expiresAt) {
      const grant = oauthGrants.get(id);
      if (grant) Object.assign(grant, copy({ renewal, expiresAt }));
      return grant !== undefined;
    },
    async rotate({ id, counter, graceMs, now, expiresAt }) {
      const grant = oauthGrants.get(id);
      if (!grant || !active(grant, now)) return { status: 'invalid' };
      const status = rotationOf(grant, { counter, graceMs, now });
      if (status === 'reused') {
        remove((each) => each.id === id);
        return { status, grant };
      }
      if (status === 'rotated')
        Object.assign(grant, copy({ counter: counter + 1, rotatedAt: now, lastUsedAt: now, expiresAt }));
      return { status, grant: copy(grant) };
    },
    async removeGrant(id, userId) {
      const grant = oauthGrants.get(id);
      if (!grant || grant.userId !== (userId ?? grant.userId)) return null;
      remove((each) => each.id === id);
      return grant;
    },
    async removeGrantsFor(userId, clientId) {
      return remove((each) => each.userId === userId && each.clientId === clientId);
    },
    async insertToken(token) {
      if (isTaken(token)) return false;
      oauthTokens.set(token.digest, copy(token));
      return true;
    },
    async updateToken({ digest, alias, grantId, clientId, data, expiresAt }) {
      const token = oauthTokens.get(digest);
      if (token) Object.assign(token, copy({ alias, grantId, clientId, data, expiresAt }));
    },
    async findToken(digest) {
      return copy(oauthTokens.get(digest) ?? null);
    },
    async findTokenByAlias(alias) {
      return copy([...oauthTokens.values()].find((token) => token.alias === alias) ?? null);
    },
    async useToken(digest, now) {
      const token = oauthTokens.get(digest);
      if (!token || token.usedAt || token.expiresAt <= now) return false;
      token.usedAt = copy(now);
      return true;
    },
    async changeToken(digest, now, change) {
      return changed(digest, now, change);
    },
    async removeToken(digest) {
      oauthTokens.delete(digest);
    },
    async removeTokensOf(grantId) {
      removeWhere(oauthTokens, (token) => token.grantId === grantId);
    },
    async findAccess(digest, now) {
      const token = oauthTokens.get(digest);
      if (!token || token.expiresAt <= now) return null;
      const client = oauthClients.get(token.clientId ?? '');
      if (token.clientId !== null && !(client && isLive(client, now))) return null;
      if (isOfClient(token)) return { token: copy(token), active: null };
      const found = active(oauthGrants.get(token.grantId ?? ''), now);
      return found && { token: copy(token), active: found };
    },
    async insertKey(key) {
      if (oauthKeys.has(key.id)) return false;
      oauthKeys.set(key.id, copy(key));
      return true;
    },
    async listKeys() {
      return copy([...oauthKeys.values()].sort(byAge(({ id }) => id)).reverse());
    },
    async removeKeys(createdBefore) {
      removeWhere(oauthKeys, ({ createdAt }) => createdAt < createdBefore);
    },
  };
}
