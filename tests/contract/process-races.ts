/** Atomicity across processes, where no event loop helps: four processes, 16 calls each, one database. */
import { randomUUID } from 'node:crypto';
import type { StorageAdapter } from '../../src/storage/adapter.js';
import { createSharedDatabase, type SharedStorage } from '../support/databases.js';
import { openStorage } from '../support/open-storage.js';
import type { TestDatabase } from '../support/postgres.js';
import { StorageProcesses } from '../support/storage-processes.js';
import type { RaceRecord, Race } from '../support/storage-worker.js';

const now = new Date('2031-05-06T07:08:09.123Z');
const expiresAt = new Date(now.getTime() + 60_000);

let database: TestDatabase;
let storage: StorageAdapter;
let processes: StorageProcesses;

async function newPrize(): Promise<RaceRecord> {
  const [userId, codeHash, linkDigest, resetDigest] = [
    randomUUID(),
    randomUUID(),
    randomUUID(),
    randomUUID(),
  ];
  const email = `${randomUUID()}@example.test`;
  const user = {
    id: userId,
    email: `owner-${email}`,
    emailVerified: false,
    passwordHash: null,
    metadata: {},
    createdAt: now,
  };
  await storage.users.insert(user);
  await storage.oneTimeCodes.replace({
    purpose: 'email_code',
    subject: email,
    codeHash,
    expiresAt,
    metadata: {},
  });
  const token = { expiresAt, metadata: {} };
  await storage.singleUseTokens.insert({
    ...token,
    digest: linkDigest,
    purpose: 'magic_link',
    subject: email,
  });
  await storage.singleUseTokens.insert({
    ...token,
    digest: resetDigest,
    purpose: 'password_reset',
    subject: user.email,
    account: { epoch: 0, hasPassword: false },
  });
  const familyId = await newFamily(userId);
  const { inviteeId, inviteDigest } = await newInvite();
  const pendingSecret = randomUUID();
  expect(await storage.totp?.savePending(userId, pendingSecret)).toBe('kept');
  const grant = await newGrant(userId);
  const pro = { familyId, inviteeId, inviteDigest, pendingSecret, ...grant, ...(await newHolder()) };
  return { now: now.toISOString(), userId, email, codeHash, linkDigest, resetDigest, ...pro };
}

async function newFamily(userId: string): Promise<string> {
  const family = {
    id: randomUUID(),
    userId,
    kind: null,
    counter: 0,
    rotatedAt: now,
    epoch: 0,
    claims: {},
    device: {},
    createdAt: now,
    expiresAt,
    revokedAt: null,
  };
  expect(await storage.refreshFamilies?.insert(family)).toBe(true);
  return family.id;
}

/** Creates a grant of the OAuth server, and an authorization code. */
async function newGrant(userId: string): Promise<{ grantId: string; authorizationCode: string }> {
  const [grantId, authorizationCode] = [randomUUID(), randomUUID()];
  const times = { rotatedAt: now, createdAt: now, lastUsedAt: null, expiresAt };
  const grant = { id: grantId, userId, clientId: 'client', epoch: 0, scopes: {}, renewal: {}, counter: 0 };
  const owner = { id: 'client', kind: 'registered', metadata: {}, createdAt: now, expiresAt: null } as const;
  await storage.oauthServer?.insertClient(owner);
  expect(await storage.oauthServer?.insertGrant({ ...grant, ...times }, now)).toBe(true);
  const code = {
    digest: authorizationCode,
    kind: 'code' as const,
    alias: null,
    grantId,
    clientId: null,
    data: {},
  };
  expect(await storage.oauthServer?.insertToken({ ...code, usedAt: null, expiresAt })).toBe(true);
  const client = { id: grantId, kind: 'registered' as const, metadata: {}, createdAt: now, expiresAt: null };
  expect(await storage.oauthServer?.insertClient(client)).toBe(true);
  return { grantId, authorizationCode };
}

/** Creates an invite to an organization of another user, and its invitee. */
async function newInvite(): Promise<{ inviteeId: string; inviteDigest: string }> {
  const [ownerId, inviteeId, orgId, inviteDigest] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
  const email = `${randomUUID()}@example.test`;
  const user = { emailVerified: true, passwordHash: null, metadata: {}, createdAt: now };
  await storage.users.insert({ ...user, id: ownerId, email: null });
  await storage.users.insert({ ...user, id: inviteeId, email });
  const org = { id: orgId, name: 'Acme', slug: orgId, metadata: {}, createdAt: now, updatedAt: now };
  await storage.orgs?.create(org, { orgId, userId: ownerId, role: 'owner', createdAt: now });
  const invite = {
    id: randomUUID(),
    orgId,
    email,
    role: 'admin' as const,
    invitedByUserId: ownerId,
    createdAt: now,
    expiresAt,
    acceptedAt: null,
  };
  expect(await storage.orgs?.insertInvite(invite, inviteDigest)).toBe('stored');
  return { inviteeId, inviteDigest };
}

/** Creates a user with a second factor, spare recovery codes and a passkey. */
async function newHolder() {
  const [holderId, secret, recoveryHash, passkeyId] = [
    randomUUID(),
    randomUUID(),
    randomUUID(),
    randomUUID(),
  ];
  const user = { emailVerified: true, passwordHash: null, metadata: {}, createdAt: now };
  await storage.users.insert({ ...user, id: holderId, email: null });
  await storage.totp?.savePending(holderId, secret);
  const recoveryCodeHashes = [recoveryHash, randomUUID()];
  const confirmation = { userId: holderId, pendingSecret: secret, step: 1, recoveryCodeHashes, now };
  expect(await storage.totp?.confirm(confirmation)).toBe(true);
  const passkey = { id: passkeyId, userId: holderId, publicKey: 'key', counter: 0, transports: [] };
  const model = {
    backupEligible: false,
    backedUp: false,
    aaguid: '',
    name: null,
    lastUsedFrom: null,
    userHandle: null,
    createdAt: now,
    lastUsedAt: null,
  };
  expect(await storage.credentials?.insert({ ...passkey, ...model }, 1)).toBe('inserted');
  return { holderId, secret, recoveryHash, passkeyId };
}

async function totalWins(race: Race, sharedPrize?: RaceRecord): Promise<number> {
  const record = sharedPrize ?? (await newPrize());
  const wins = await processes.run({ url: database.url, race, calls: 16, record });
  return wins.reduce((sum, won) => sum + won, 0);
}

export function describeProcessRaces(name: SharedStorage): void {
  describe(`four processes on one database of ${name}`, () => {
    beforeAll(async () => {
      database = await createSharedDatabase(name);
      storage = openStorage(database.url);
      await storage.init();
      processes = await StorageProcesses.start(4);
    });

    afterAll(async () => {
      await processes.stop();
      await storage.close();
      await database.drop();
    });

    // A race that is lost once in ten times is still lost: each one runs several times.
    const rounds = Array.from({ length: 5 });

    const races: Partial<Record<Race, string>> = {
      code: 'a code is consumed once',
      link: 'a link is consumed once',
      reset: 'a reset token sets one password',
      signup: 'an address is signed up once',
      identity: 'an identity creates one user',
      rotation: 'a refresh token rotates once',
      reuse: 'a reuse outside the grace period is reported once',
      invite: 'an invite is accepted once',
      slug: 'a slug is taken once',
      deletion: 'a user is deleted once',
      confirm: 'a second factor is confirmed once',
      advance: 'a one-time password counts once',
      recovery: 'a recovery code is consumed once',
      disable: 'a second factor is disabled once',
      register: 'the id of a passkey is registered once',
      passkey: 'a counter value of a passkey counts once',
      authorizationCode: 'an authorization code is redeemed once',
      deviceDecision: 'a device code is decided once',
      grantDecision: 'a request for access is decided once, with one grant',
      proof: 'a proof of possession is accepted once',
      grantRotation: 'a refresh token of a grant rotates once',
      clientChange: 'of concurrent changes of a client each sees the one before it',
      grantReuse: 'a reuse of a refresh token outside the grace period removes its grant once',
    };

    it.each(Object.entries(races) as [Race, string][])('%s: %s', async (race) => {
      for (const _ of rounds) expect(await totalWins(race)).toBe(1);
    });

    it('reserve: a code can be tried five times and no more', async () => {
      for (const _ of rounds) expect(await totalWins('reserve')).toBe(5);
    });

    it('concurrent rotations of one token leave one active token', async () => {
      for (const _ of rounds) {
        const prize = await newPrize();
        await totalWins('rotation', prize);
        const familyWithUser = await storage.refreshFamilies?.findWithUser(prize.familyId);
        expect(familyWithUser?.family).toMatchObject({ counter: 1, revokedAt: null });
      }
    });

    it('concurrent refreshes with one token of a grant leave one successor', async () => {
      for (const _ of rounds) {
        const prize = await newPrize();
        await totalWins('grantRotation', prize);
        const active = await storage.oauthServer?.findGrant(prize.grantId, now);
        expect(active?.grant.counter).toBe(1);
      }
    });

    it('concurrent confirmations of one secret keep the recovery codes of one of them and end sessions once', async () => {
      for (const _ of rounds) {
        const prize = await newPrize();
        await totalWins('confirm', prize);
        expect(await storage.totp?.countRecoveryCodes(prize.userId)).toBe(2);
        const user = await storage.users.findById(prize.userId);
        expect(user).toMatchObject({ epoch: 1, totpEnabled: true });
      }
    });

    it('a reset wins once while its account is deleted and its address signs up again', async () => {
      for (const _ of rounds) {
        const record = await newPrize();
        const winsDuringRace = await totalWins('reclaim', record);
        // Every sign-up of the race may have come before the deletion.
        const email = `owner-${record.email}`;
        const newcomer = { id: randomUUID(), email, emailVerified: false, passwordHash: null, metadata: {} };
        await storage.users.insert({ ...newcomer, createdAt: new Date(record.now) });
        const winsAfterRace = await processes.run({ url: database.url, race: 'reset', calls: 1, record });
        // A call that finds no account keeps the token for the next one.
        expect(winsDuringRace + winsAfterRace.reduce((sum, count) => sum + count, 0)).toBe(1);
        expect(await storage.users.findByEmail(email)).toMatchObject({
          emailVerified: true,
          epoch: 1,
          passwordHash: expect.any(String),
        });
      }
    });

    it('concurrent acceptances of one invite create one membership', async () => {
      const prize = await newPrize();
      await totalWins('invite', prize);
      expect(await storage.orgs?.listForUser(prize.inviteeId)).toMatchObject([{ role: 'admin' }]);
    });
  });
}
