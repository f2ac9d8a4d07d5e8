/** One single-use secret for each of many users, of every kind that the storage consumes. */
import type { StorageAdapter } from '../../src/storage/adapter.js';
import { idOf } from './releases.js';

type Storage = Required<StorageAdapter>;

interface Secret {
  issue(storage: Storage): Promise<void>;
  /** Returns true if this call consumed it. */
  spend(storage: Storage): Promise<boolean>;
  /** Whether the storage shows what is written together with the consumption. Absent if nothing is. */
  hasEffect?(storage: Storage): Promise<boolean>;
}

const now = new Date('2031-05-06T07:08:09.123Z');
const expiresAt = new Date(now.getTime() + 60_000);
const org = idOf(900_000);
const owner = idOf(900_001);
const windowMs = 60_000;

export async function prepareSingleUse(storage: StorageAdapter): Promise<void> {
  const user = { id: owner, email: null, emailVerified: true, passwordHash: null };
  await storage.users.insert({ ...user, metadata: {}, createdAt: now });
  const times = { createdAt: now, updatedAt: now };
  const membership = { orgId: org, userId: owner, role: 'owner' as const, createdAt: now };
  await storage.orgs?.create({ id: org, name: 'Acme', slug: 'acme', metadata: {}, ...times }, membership);
}

/** Returns secret number `n`. Its kind depends on the number, so that of any seven neighbors each has another. */
export function singleUseSecret(n: number): Secret {
  const id = idOf(n);
  const email = `user-${n}@example.test`;
  const name = `secret ${n}`;
  const user = { id, email, emailVerified: true, passwordHash: 'old', metadata: {}, createdAt: now };
  const times = { createdAt: now, lastSeenAt: now, expiresAt, revokedAt: null, boundAt: null };
  const session = { id, userId: id, device: {}, ...times };
  const signUp = (storage: Storage) => storage.sessions.startWithUser(session, user);
  const kinds: Secret[] = [
    {
      async issue(storage) {
        const token = { digest: name, purpose: 'magic_link', subject: email } as const;
        await storage.singleUseTokens.insert({ ...token, expiresAt, metadata: {} });
      },
      spend: async (storage) => (await storage.singleUseTokens.consume('magic_link', name, now)) !== null,
    },
    {
      async issue(storage) {
        await signUp(storage);
        const token = { digest: name, purpose: 'password_reset', subject: email } as const;
        const account = { epoch: 0, hasPassword: true };
        await storage.singleUseTokens.insert({ ...token, expiresAt, metadata: {}, account });
      },
      async spend(storage) {
        const link = { tokenDigest: name, email, userId: id };
        return (await storage.users.resetPassword({ ...link, passwordHash: 'new', now })) !== null;
      },
      async hasEffect(storage) {
        const found = await storage.sessions.findWithUser(id);
        const isReset = found?.user.passwordHash === 'new';
        const state = [found?.user.epoch, found?.session.revokedAt !== null];
        expect(state).toEqual(isReset ? [1, true] : [0, false]);
        return isReset;
      },
    },
    {
      async issue(storage) {
        const code = { purpose: 'email_code', subject: email, codeHash: name } as const;
        await storage.oneTimeCodes.replace({ ...code, expiresAt, metadata: {} });
        await storage.rateLimits.hit([{ key: name, windowMs }], now.getTime());
      },
      async spend(storage) {
        const guess = { purpose: 'email_code', subject: email, codeHashes: [name], maxAttempts: 5 } as const;
        const correction = { refund: [], reset: [name] };
        return (
          (await storage.fastPaths.attemptAndCorrect({ ...guess, now, correction })).status === 'consumed'
        );
      },
      async hasEffect(storage) {
        // Its counter starts again.
        const [hit] = await storage.rateLimits.hit([{ key: name, windowMs }], now.getTime());
        return hit?.count === 1;
      },
    },
    {
      async issue(storage) {
        await signUp(storage);
        const invite = { id, orgId: org, email, role: 'admin' as const, invitedByUserId: owner };
        await storage.orgs.insertInvite({ ...invite, createdAt: now, expiresAt, acceptedAt: null }, name);
      },
      async spend(storage) {
        const outcome = await storage.orgs.acceptInvite(name, id, now, ({ invite }) => invite.role);
        return typeof outcome === 'object' && outcome.status === 'accepted';
      },
      hasEffect: async (storage) => (await storage.orgs.roleOf(org, id)) === 'admin',
    },
    {
      async issue(storage) {
        await signUp(storage);
        await storage.totp.savePending(id, name);
        const recoveryCodeHashes = [name, 'other'];
        await storage.totp.confirm({ userId: id, pendingSecret: name, step: 1, recoveryCodeHashes, now });
      },
      spend: async (storage) => (await storage.totp.consumeRecoveryCode(id, [name])) !== null,
      hasEffect: async (storage) => (await storage.totp.countRecoveryCodes(id)) === 1,
    },
    {
      async issue(storage) {
        const code = {
          digest: name,
          kind: 'code' as const,
          alias: null,
          grantId: id,
          clientId: null,
          data: {},
        };
        await storage.oauthServer.insertToken({ ...code, usedAt: null, expiresAt });
      },
      spend: (storage) => storage.oauthServer.useToken(name, now),
      hasEffect: async (storage) => (await storage.oauthServer.findToken(name))!.usedAt !== null,
    },
    {
      async issue(storage) {
        await signUp(storage);
        const client = { id: 'client', kind: 'registered', metadata: {}, createdAt: now } as const;
        await storage.oauthServer.insertClient({ ...client, expiresAt: null });
        const grant = { id, userId: id, clientId: 'client', epoch: 0, scopes: {}, renewal: {}, counter: 0 };
        const times = { rotatedAt: now, createdAt: now, lastUsedAt: null, expiresAt };
        await storage.oauthServer.insertGrant({ ...grant, ...times }, now);
      },
      async spend({ oauthServer }) {
        const rotation = { id, counter: 0, graceMs: windowMs, now, expiresAt };
        return (await oauthServer.rotate(rotation)).status === 'rotated';
      },
      hasEffect: async (storage) => (await storage.oauthServer.findGrant(id, now))!.grant.counter === 1,
    },
  ];
  return kinds[n % kinds.length] as Secret;
}
