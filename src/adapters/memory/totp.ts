/** Second factors and their recovery codes in memory. */
import type { TotpEnrollment } from '../../domain/totp.js';
import type { TotpRepository } from '../../storage/second-factor-repositories.js';
import { copy } from './copy.js';
import type { Tables } from './tables.js';
import { admit, revokeSessions } from './users.js';

export function memoryTotp(tables: Tables): TotpRepository {
  const { users, guests, totp, recoveryCodes } = tables;

  function endSessions(userId: string, totpEnabled: boolean, now: Date): void {
    const user = users.get(userId);
    if (!user) return;
    revokeSessions(tables, user, now);
    Object.assign(user, { totpEnabled, updatedAt: copy(now) });
  }

  const hasEpoch = (userId: string, epoch?: number) =>
    epoch === undefined || users.get(userId)?.epoch === epoch;

  return {
    async find(userId) {
      return copy(totp.get(userId) ?? null);
    },
    async savePending(userId, secret) {
      if (!users.has(userId)) return 'no_user';
      if (guests.has(userId)) return 'guest';
      const emptyEnrollment: TotpEnrollment = {
        userId,
        secret: null,
        lastStep: 0,
        pendingSecret: null,
        confirmedAt: null,
      };
      totp.set(userId, { ...(totp.get(userId) ?? emptyEnrollment), pendingSecret: secret });
      return 'kept';
    },
    async confirm({ userId, epoch, pendingSecret, step, recoveryCodeHashes, now }) {
      const enrollment = totp.get(userId);
      if (guests.has(userId) || enrollment?.pendingSecret !== pendingSecret) return false;
      if (!hasEpoch(userId, epoch)) return false;
      Object.assign(enrollment, {
        secret: pendingSecret,
        lastStep: step,
        pendingSecret: null,
        confirmedAt: copy(now),
      });
      recoveryCodes.set(userId, new Set(recoveryCodeHashes));
      endSessions(userId, true, now);
      return true;
    },
    async advance(userId, secret, step) {
      const enrollment = totp.get(userId);
      if (!enrollment || enrollment.secret !== secret || enrollment.lastStep >= step) return false;
      enrollment.lastStep = step;
      return true;
    },
    async listSecrets(prefix, after, limit) {
      const secrets = [...totp.values()].flatMap(({ userId, secret }) =>
        secret !== null && !secret.startsWith(prefix) && (after === null || userId > after)
          ? [{ userId, secret }]
          : [],
      );
      return secrets.sort((a, b) => (a.userId < b.userId ? -1 : 1)).slice(0, limit);
    },
    async reencrypt(userId, from, to) {
      const enrollment = totp.get(userId);
      if (enrollment?.secret === from) enrollment.secret = to;
    },
    async replaceRecoveryCodes(userId, hashes, now, epoch) {
      if ((totp.get(userId)?.secret ?? null) === null || !hasEpoch(userId, epoch)) return false;
      recoveryCodes.set(userId, new Set(hashes));
      endSessions(userId, true, now);
      return true;
    },
    async consumeRecoveryCode(userId, hashes) {
      return hashes.some((hash) => recoveryCodes.get(userId)?.delete(hash));
    },
    async countRecoveryCodes(userId) {
      return recoveryCodes.get(userId)?.size ?? 0;
    },
    async disable(userId, now, epoch, by) {
      admit(tables, by);
      if (!hasEpoch(userId, epoch)) return false;
      const wasEnabled = (totp.get(userId)?.secret ?? null) !== null;
      totp.delete(userId);
      recoveryCodes.delete(userId);
      if (wasEnabled) endSessions(userId, false, now);
      return wasEnabled;
    },
  };
}
