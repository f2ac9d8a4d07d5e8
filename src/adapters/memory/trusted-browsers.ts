/** Trusted browsers in memory. */
import type { StoredTrustedBrowser } from '../../domain/trusted-browser.js';
import type { TrustedBrowserRepository } from '../../storage/second-factor-repositories.js';
import { copy } from './copy.js';
import { removeWhere, type Tables } from './tables.js';

const countsIn =
  ({ users }: Tables) =>
  ({ userId, epoch }: StoredTrustedBrowser) =>
    users.get(userId)?.epoch === epoch;

/** Removes every browser of the user, and returns how many of them counted. */
export function removeTrust(tables: Tables, userId: string): number {
  const own = [...tables.trustedBrowsers.values()].filter((each) => each.userId === userId);
  removeWhere(tables.trustedBrowsers, (each) => each.userId === userId);
  return own.filter(countsIn(tables)).length;
}

export function memoryTrustedBrowsers(tables: Tables): TrustedBrowserRepository {
  const { browserOfSession, credentials, sessions, trustedBrowsers } = tables;
  const counts = countsIn(tables);
  const isSignedIn = ({ id, userId }: StoredTrustedBrowser, now: Date) =>
    [...sessions.values()].some(
      (session) =>
        session.userId === userId &&
        !session.revokedAt &&
        session.expiresAt > now &&
        browserOfSession.get(session) === id,
    );

  return {
    async insert(browser, replaces, credentialId) {
      if (!counts(browser)) return null;
      if (credentialId !== undefined && credentials.get(credentialId)?.userId !== browser.userId) return null;
      const isReplaced = (each: StoredTrustedBrowser) =>
        each.userId === browser.userId && replaces.includes(each.secretHash);
      const replaced = [...trustedBrowsers.values()].filter(isReplaced);
      removeWhere(trustedBrowsers, isReplaced);
      const id = replaced[0]?.id ?? browser.id;
      trustedBrowsers.set(id, copy({ ...browser, id }));
      return { id, replaced: replaced.map(({ secretHash }) => secretHash) };
    },
    async use(userId, epoch, hashes, now) {
      const browser = [...trustedBrowsers.values()].find(
        (each) => each.userId === userId && each.epoch === epoch && hashes.includes(each.secretHash),
      );
      if (!browser || !counts(browser) || browser.expiresAt <= now) return null;
      browser.lastUsedAt = copy(now);
      return browser.id;
    },
    async list(userId, now) {
      const own = [...trustedBrowsers.values()].filter(
        (each) => each.userId === userId && counts(each) && each.expiresAt > now,
      );
      const byAge = (a: StoredTrustedBrowser, b: StoredTrustedBrowser) =>
        b.createdAt.getTime() - a.createdAt.getTime() || (a.id < b.id ? 1 : -1);
      return copy(own.sort(byAge).map((each) => ({ ...each, isSignedIn: isSignedIn(each, now) })));
    },
    async revoke(userId, id) {
      const browser = trustedBrowsers.get(id);
      return browser?.userId === userId && trustedBrowsers.delete(id) && counts(browser);
    },
    async revokeAll(userId) {
      return removeTrust(tables, userId);
    },
  };
}
