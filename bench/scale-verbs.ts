/** Calls every method of a storage adapter once, on the rows of scale-data.ts. */
import { randomUUID } from 'node:crypto';
import type { StorageAdapter } from '../src/storage/adapter.js';
import { newCredential } from '../testing/conformance/pro-records.js';
import { idOf, kinds, type Sizes } from './scale-data.js';

type Calls = Record<string, () => Promise<unknown>>;

/**
 * @param onCall receives the name of each method before its call.
 * @returns the methods that this file does not call.
 */
export async function callEveryVerb(
  adapter: StorageAdapter,
  { orgs }: Sizes,
  onCall: (verb: string) => void,
): Promise<string[]> {
  const storage = adapter as Required<StorageAdapter>;
  const now = new Date();
  const soon = new Date(now.getTime() + 60_000);
  const user = (n: number) => idOf(kinds.user, n);
  const org = (n: number) => idOf(kinds.org, n);
  const address = (n: number) => `user${n}@example.test`;
  const passwordHash = 'hash';
  const newUser = { emailVerified: true, passwordHash: null, metadata: {}, createdAt: now };
  const identity = (userId: string) => {
    const names = { provider: 'github', providerAccountId: randomUUID() };
    return { id: randomUUID(), userId, ...names, createdAt: now };
  };
  const times = { createdAt: now, lastSeenAt: now, expiresAt: soon, revokedAt: null, boundAt: null };
  const actor = { userId: user(1), decide: () => undefined };
  const credential = newCredential(user(3), { createdAt: now });
  const code = { purpose: 'email_code', subject: address(1), codeHash: 'hash', metadata: {} } as const;
  const token = { purpose: 'password_reset', subject: address(7), expiresAt: soon, metadata: {} } as const;
  const family = { kind: null, counter: 0, rotatedAt: now, epoch: 0, claims: {}, device: {}, ...times };
  const key = { id: randomUUID(), name: 'key', prefix: 'svc_', secretHash: 'hash', scopes: [], metadata: {} };
  const keyTimes = { createdAt: now, lastUsedAt: null, expiresAt: null, revokedAt: null };
  const invite = { orgId: org(2), email: 'new@example.test', role: 'member' as const };
  const upgrade = { email: null, emailVerified: false, passwordHash: null, now };
  const keys = ['key 1', 'key 2', 'new key'];
  const limits = keys.map((key) => ({ key, windowMs: 60_000 }));
  const resetDigest = randomUUID();
  const calls: Record<string, Calls> = {
    users: {
      insert: () => storage.users.insert({ ...newUser, id: randomUUID(), email: 'first@example.test' }),
      findById: () => storage.users.findById(user(1)),
      findByEmail: () => storage.users.findByEmail(address(1)),
      markEmailVerified: () => storage.users.markEmailVerified(user(1), now),
      claim: () => storage.users.claim(user(30), now),
      setFirstPassword: () => storage.users.setFirstPassword(user(1), 0, passwordHash, now),
      resetPassword: async () => {
        const account = { epoch: 0, hasPassword: true };
        await storage.singleUseTokens.insert({ ...token, digest: resetDigest, account });
        const link = { tokenDigest: resetDigest, email: address(7), userId: user(7) };
        await storage.users.resetPassword({ ...link, passwordHash, now });
      },
      changePassword: () =>
        storage.users.changePassword({ userId: user(8), epoch: 0, fromHash: 'hash', passwordHash, now }),
      renewPasswordHash: () => storage.users.renewPasswordHash(user(12), 'hash', passwordHash),
    },
    identities: {
      findUser: () => storage.identities.findUser('google', '1'),
      link: () => storage.identities.link(identity(user(1)), 0),
      insertWithUser: () => {
        const id = randomUUID();
        return storage.identities.insertWithUser(identity(id), {
          ...newUser,
          id,
          email: 'second@example.test',
        });
      },
      listForUser: () => storage.identities.listForUser(user(1)),
      unlink: () => storage.identities.unlink(user(11), idOf(kinds.identity, 11), () => true),
    },
    sessions: {
      start: () => storage.sessions.start({ id: randomUUID(), userId: user(1), device: {}, ...times }, 0),
      findWithUser: () => storage.sessions.findWithUser(idOf(kinds.session, 1001)),
      findWithTarget: () => storage.sessions.findWithTarget(idOf(kinds.session, 1001), user(2)),
      renew: () => storage.sessions.renew(idOf(kinds.session, 1005), { lastSeenAt: now, expiresAt: soon }),
      revoke: () => storage.sessions.revoke(idOf(kinds.session, 1006), now),
      listLive: () => storage.sessions.listLive(user(1), now),
      revokeOthers: () => storage.sessions.revokeOthers(user(14), now),
      revokeAll: () => storage.sessions.revokeAll(user(9), now),
    },
    oneTimeCodes: {
      replace: () => storage.oneTimeCodes.replace({ ...code, expiresAt: soon }),
      attempt: () =>
        storage.fastPaths.attemptAndCorrect({
          purpose: 'email_code',
          subject: address(1),
          codeHashes: ['hash'],
          maxAttempts: 5,
          now,
          correction: { refund: keys, reset: keys },
        }),
      discard: () => storage.oneTimeCodes.discard('email_code', address(1), 'hash'),
    },
    singleUseTokens: {
      insert: () => storage.singleUseTokens.insert({ ...token, digest: randomUUID() }),
      consume: () => storage.singleUseTokens.consume('magic_link', 'digest 11', now),
      discard: () => storage.singleUseTokens.discard('digest 16'),
    },
    rateLimits: {
      hit: () => storage.rateLimits.hit(limits, now.getTime()),
      hitAndFindUser: () => storage.fastPaths.hitAndFindUser(limits, address(2), now.getTime()),
      correct: () => storage.rateLimits.correct({ refund: keys, reset: keys }, now.getTime()),
    },
    guests: {
      insert: () => storage.guests.insert({ ...newUser, id: randomUUID(), email: null }),
      isGuest: () => storage.guests.isGuest(user(20)),
      upgrade: () => storage.guests.upgrade({ ...upgrade, userId: user(40), identity: identity(user(40)) }),
      listAbandoned: () => storage.guests.listAbandoned({ createdBefore: now, limit: 1000 }),
      deleteAbandoned: async () => storage.guests.deleteAbandoned?.({ createdBefore: now, limit: 1000 }),
      delete: () => storage.guests.delete(user(60), async () => undefined),
    },
    refreshFamilies: {
      insert: () => storage.refreshFamilies.insert({ ...family, id: randomUUID(), userId: user(1) }),
      rotate: () =>
        storage.refreshFamilies.rotate({ familyId: idOf(kinds.family, 13), counter: 0, graceMs: 10, now }),
      revoke: () => storage.refreshFamilies.revoke(idOf(kinds.family, 15), now),
      revokeAllForUser: () => storage.refreshFamilies.revokeAllForUser(user(17), now),
      findWithUser: () => storage.refreshFamilies.findWithUser(idOf(kinds.family, 19)),
      listForUser: () => storage.refreshFamilies.listForUser(user(1)),
      listLive: () => storage.refreshFamilies.listLive(user(1), now),
    },
    apiKeys: {
      insert: async () => {
        await storage.apiKeys.insert({ ...key, userId: user(1), orgId: null, ...keyTimes }, 0);
        await storage.apiKeys.insert(
          { ...key, id: randomUUID(), userId: null, orgId: org(1), ...keyTimes },
          0,
        );
      },
      findById: () => storage.apiKeys.findById(idOf(kinds.key, 11)),
      touch: () => storage.apiKeys.touch(idOf(kinds.key, 11), now, now),
      revoke: async () => {
        await storage.apiKeys.revoke(idOf(kinds.key, 16), now);
        await storage.apiKeys.revoke(idOf(kinds.key, 21), now, { orgId: org(1), actor });
      },
      list: async () => {
        await storage.apiKeys.list({ userId: user(1) });
        await storage.apiKeys.list({ orgId: org(1) });
      },
    },
    orgs: {
      create: () => {
        const id = randomUUID();
        const owner = { orgId: id, userId: user(1), role: 'owner' as const, createdAt: now };
        return storage.orgs.create(
          { id, name: 'New', slug: 'new', metadata: {}, createdAt: now, updatedAt: now },
          owner,
        );
      },
      findById: () => storage.orgs.findById(org(1)),
      findBySlug: () => storage.orgs.findBySlug('org-1'),
      roleOf: () => storage.orgs.roleOf(org(1), user(1)),
      findForMember: () => storage.orgs.findForMember('org-1', user(1)),
      listMembers: () => storage.orgs.listMembers(org(1)),
      listMembersWithUsers: () => storage.orgs.listMembersWithUsers(org(1)),
      listForUser: () => storage.orgs.listForUser(user(1)),
      listForUserWithOrgs: () => storage.orgs.listForUserWithOrgs(user(1)),
      changeMember: async () => {
        const member = { orgId: org(1), userId: user(2), actingUserId: user(1), now };
        await storage.orgs.changeMember(member, () => 'admin');
        await storage.orgs.changeMember(member, () => null);
      },
      insertInvite: () =>
        storage.orgs.insertInvite(
          {
            ...invite,
            id: randomUUID(),
            invitedByUserId: user(1),
            createdAt: now,
            expiresAt: soon,
            acceptedAt: null,
          },
          randomUUID(),
          { userId: user(1), decide: () => undefined },
        ),
      acceptInvite: () => storage.orgs.acceptInvite('digest 3', user(3), now, () => 'member'),
      findInvite: () => storage.orgs.findInvite('digest 5'),
      findPendingInvite: () => storage.orgs.findPendingInvite(org(6), address(6), now),
      listPendingInvites: () => storage.orgs.listPendingInvites(org(2), now),
      revokeInvite: () => storage.orgs.revokeInvite({ orgId: org(4), inviteId: idOf(kinds.invite, 4), now }),
      listInvitesOf: () => storage.orgs.listInvitesOf({ userId: user(3), email: address(3) }),
      delete: () => storage.orgs.delete(org(orgs)),
    },
    totp: {
      find: () => storage.totp.find(user(1)),
      savePending: () => storage.totp.savePending(user(1), 'pending'),
      confirm: () =>
        storage.totp.confirm({
          userId: user(1),
          pendingSecret: 'pending',
          step: 1,
          recoveryCodeHashes: ['a'],
          now,
        }),
      advance: () => storage.totp.advance(user(11), 'secret', 2, now),
      listSecrets: () => storage.totp.listSecrets('v2.', null, 100),
      reencrypt: () => storage.totp.reencrypt(user(11), 'secret', 'other'),
      replaceRecoveryCodes: () => storage.totp.replaceRecoveryCodes(user(21), ['a', 'b'], now),
      consumeRecoveryCode: () => storage.totp.consumeRecoveryCode(user(31), ['code 1']),
      countRecoveryCodes: () => storage.totp.countRecoveryCodes(user(31)),
      disable: () => storage.totp.disable(user(41), now),
    },
    credentials: {
      insert: () => storage.credentials.insert(credential, 0),
      findWithUser: () => storage.credentials.findWithUser('passkey 11'),
      listForUser: () => storage.credentials.listForUser(user(1)),
      use: () => storage.credentials.use({ id: 'passkey 11', counter: 1, backedUp: false, now }),
      remove: () => storage.credentials.remove(user(11), 'passkey 11', () => true),
    },
    accounts: {
      deleteUser: () => storage.accounts.deleteUser(user(12), async () => undefined),
      changeEmail: () =>
        storage.accounts.changeEmail({ userId: user(13), epoch: 0, email: 'moved@example.test', now }),
      listSessions: () => storage.accounts.listSessions(user(1)),
    },
    '': {
      purgeExpired: () => storage.purgeExpired({ now, limit: 1000 }),
      currentTime: () => storage.currentTime(),
    },
  };
  for (const [repository, verbs] of Object.entries(calls)) {
    for (const [verb, call] of Object.entries(verbs)) {
      onCall(repository === '' ? verb : `${repository}.${verb}`);
      await call();
    }
  }
  return methodsOf(storage).filter((method) => {
    const [repository = '', verb = ''] = method.split('.');
    return !calls[repository]?.[verb];
  });
}

function methodsOf(storage: StorageAdapter): string[] {
  return Object.entries(storage).flatMap(([name, repository]: [string, unknown]) =>
    typeof repository === 'object' && repository !== null
      ? Object.keys(repository).map((verb) => `${name}.${verb}`)
      : [],
  );
}
