/** Second factors and their recovery codes in memory. */
import type { SecondFactors } from '../../domain/second-factor.js';
import type { TotpApp } from '../../domain/totp.js';
import type { TotpConfirmation, TotpRepository } from '../../storage/second-factor-repositories.js';
import { copy } from './copy.js';
import type { StoredTotp, Tables } from './tables.js';
import { admit, revokeSessions } from './users.js';

export function memoryTotp(tables: Tables): TotpRepository {
  const { users, guests, totp, recoveryCodes, credentials } = tables;

  function endSessions(userId: string, totpEnabled: boolean, now: Date): void {
    const user = users.get(userId);
    if (!user) return;
    revokeSessions(tables, user, now);
    Object.assign(user, { totpEnabled, updatedAt: copy(now) });
  }

  function disable(userId: string, now: Date): boolean {
    const wasEnabled = appsOf(userId).length > 0;
    totp.delete(userId);
    recoveryCodes.delete(userId);
    if (wasEnabled) endSessions(userId, false, now);
    return wasEnabled;
  }

  const appsOf = (userId: string) => totp.get(userId)?.apps ?? [];

  const hasEpoch = (userId: string, epoch?: number) =>
    epoch === undefined || users.get(userId)?.epoch === epoch;

  /** The enrollment, if an app is confirmed and the user has the epoch. */
  const enabled = (userId: string, epoch?: number): StoredTotp | undefined =>
    appsOf(userId).length > 0 && hasEpoch(userId, epoch) ? totp.get(userId) : undefined;

  return {
    async find(userId) {
      const stored = totp.get(userId);
      if (!stored) return null;
      const [first] = stored.apps;
      const { secret = null, lastStep = 0, createdAt: confirmedAt = null } = first ?? {};
      return copy({ userId, secret, lastStep, pendingSecret: stored.pendingSecret, confirmedAt });
    },
    async listApps(userId) {
      return copy(appsOf(userId));
    },
    async findFactors(userId) {
      const stored = enabled(userId);
      if (!stored) return null;
      const factors: SecondFactors = {
        email: stored.email,
        passkeys: [...credentials.values()].filter((each) => each.userId === userId).length,
        recoveryCodes: recoveryCodes.get(userId)?.size ?? 0,
        preferred: stored.preferred,
      };
      return factors;
    },
    async savePending(userId, secret) {
      if (!users.has(userId)) return 'no_user';
      if (guests.has(userId)) return 'guest';
      const empty: StoredTotp = { apps: [], pendingSecret: null, email: false, preferred: null };
      totp.set(userId, { ...(totp.get(userId) ?? empty), pendingSecret: secret });
      return 'kept';
    },
    async confirm({ recoveryCodeHashes, epoch, ...confirmation }) {
      const { userId, pendingSecret, now } = confirmation;
      const stored = totp.get(userId);
      if (guests.has(userId) || stored?.pendingSecret !== pendingSecret) return false;
      if (!hasEpoch(userId, epoch)) return false;
      Object.assign(stored, { apps: [newApp(confirmation)], pendingSecret: null });
      recoveryCodes.set(userId, new Set(recoveryCodeHashes));
      endSessions(userId, true, now);
      return true;
    },
    async addApp({ epoch, maxApps, ...addition }) {
      const { userId, pendingSecret, now } = addition;
      const stored = enabled(userId, epoch);
      if (stored?.pendingSecret !== pendingSecret) return 'refused';
      if (stored.apps.length >= maxApps) return 'too_many';
      stored.apps.push(newApp(addition));
      stored.pendingSecret = null;
      endSessions(userId, true, now);
      return 'added';
    },
    async renameApp(userId, id, name) {
      const app = appsOf(userId).find((each) => each.id === id);
      if (app) app.name = name;
      return app !== undefined;
    },
    async removeApp(userId, id, now, epoch) {
      const stored = enabled(userId, epoch);
      const left = stored?.apps.filter((app) => app.id !== id) ?? [];
      if (!stored || left.length === stored.apps.length) return 'refused';
      if (left.length === 0) {
        disable(userId, now);
        return 'disabled';
      }
      stored.apps = left;
      endSessions(userId, true, now);
      return 'removed';
    },
    async advance(userId, secret, step, now) {
      const app = appsOf(userId).find((each) => each.secret === secret);
      if (!app || app.lastStep >= step) return false;
      Object.assign(app, { lastStep: step, lastUsedAt: copy(now) });
      return true;
    },
    async setEmail(userId, email, now, epoch) {
      const stored = enabled(userId, epoch);
      if (!stored || stored.email === email) return false;
      stored.email = email;
      endSessions(userId, true, now);
      return true;
    },
    async setPreferred(userId, method) {
      const stored = enabled(userId);
      if (stored) stored.preferred = method;
      return stored !== undefined;
    },
    async listSecrets(prefix, after, limit) {
      const ids = [...totp.keys()].filter((userId) => after === null || userId > after).sort();
      const secretsOf = (userId: string) =>
        appsOf(userId).flatMap(({ secret }) => (secret.startsWith(prefix) ? [] : [{ userId, secret }]));
      return ids
        .map(secretsOf)
        .filter((secrets) => secrets.length > 0)
        .slice(0, limit)
        .flat();
    },
    async countSecrets(prefix) {
      const secrets = [...totp.keys()].flatMap((userId) => appsOf(userId).map(({ secret }) => secret));
      return secrets.filter((secret) => !secret.startsWith(prefix)).length;
    },
    async reencrypt(userId, from, to) {
      const app = appsOf(userId).find(({ secret }) => secret === from);
      if (app) app.secret = to;
    },
    async replaceRecoveryCodes(userId, hashes, now, epoch) {
      if (!enabled(userId, epoch)) return false;
      recoveryCodes.set(userId, new Set(hashes));
      endSessions(userId, true, now);
      return true;
    },
    async consumeRecoveryCode(userId, hashes) {
      const codes = recoveryCodes.get(userId);
      return codes && hashes.some((hash) => codes.delete(hash)) ? { left: codes.size } : null;
    },
    async countRecoveryCodes(userId) {
      return recoveryCodes.get(userId)?.size ?? 0;
    },
    async disable(userId, now, epoch, by) {
      admit(tables, by);
      return hasEpoch(userId, epoch) && disable(userId, now);
    },
  };
}

function newApp(confirmation: Omit<TotpConfirmation, 'recoveryCodeHashes'>): TotpApp {
  const { userId, appId = userId, name = null, pendingSecret: secret, step, now } = confirmation;
  return copy({ id: appId, userId, name, secret, lastStep: step, createdAt: now, lastUsedAt: null });
}
