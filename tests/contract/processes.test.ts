/** Atomicity under several processes, where no event loop helps: four of them, 16 calls each, one database. */
import { randomUUID } from 'node:crypto';
import { knexAdapter } from '../../src/adapters/sql/knex-adapter.js';
import type { StorageAdapter } from '../../src/storage/adapter.js';
import { createDatabase, type TestDatabase } from '../support/postgres.js';
import { StorageProcesses } from '../support/storage-processes.js';
import type { Prize, Race } from '../support/storage-worker.js';

const now = new Date('2031-05-06T07:08:09.123Z');
const expiresAt = new Date(now.getTime() + 60_000);

let database: TestDatabase;
let storage: StorageAdapter;
let processes: StorageProcesses;

beforeAll(async () => {
  database = await createDatabase();
  storage = knexAdapter({ client: 'pg', connection: database.url });
  await storage.init();
  processes = await StorageProcesses.start(4);
});

afterAll(async () => {
  await processes.stop();
  await storage.close();
  await database.drop();
});

async function newPrize(): Promise<Prize> {
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
    subject: userId,
    account: { email: user.email, epoch: 0, hasPassword: false },
  });
  const familyId = await newFamily(userId);
  const { inviteeId, inviteDigest } = await newInvite();
  const pendingSecret = randomUUID();
  expect(await storage.totp?.savePending(userId, pendingSecret)).toBe('kept');
  const pro = { familyId, inviteeId, inviteDigest, pendingSecret, ...(await newHolder()) };
  return { now: now.toISOString(), userId, email, codeHash, linkDigest, resetDigest, ...pro };
}

async function newFamily(userId: string): Promise<string> {
  const family = {
    id: randomUUID(),
    userId,
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

/** An invite to an organisation of somebody else's, and whom it is for. */
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

/** A user with a second factor, a recovery code to spare and a passkey. */
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
  const model = { backupEligible: false, backedUp: false, aaguid: '', createdAt: now, lastUsedAt: null };
  expect(await storage.credentials?.insert({ ...passkey, ...model }, 1)).toBe('inserted');
  return { holderId, secret, recoveryHash, passkeyId };
}

async function totalWins(race: Race, given?: Prize): Promise<number> {
  const prize = given ?? (await newPrize());
  const wins = await processes.run({ url: database.url, race, calls: 16, prize });
  return wins.reduce((sum, won) => sum + won, 0);
}

describe('four processes on one database', () => {
  // A race that is lost once in ten times is still lost: each is run several times.
  const rounds = Array.from({ length: 5 });

  const races: Partial<Record<Race, string>> = {
    code: 'a code is consumed once',
    link: 'a link is consumed once',
    reset: 'a reset token sets one password',
    signup: 'an address is signed up once',
    identity: 'an identity makes one user',
    rotation: 'a refresh token rotates once',
    reuse: 'a reuse without grace is told once',
    invite: 'an invite is accepted once',
    slug: 'a slug is taken once',
    deletion: 'a user is deleted once',
    confirm: 'a second factor is confirmed once',
    advance: 'a one-time password counts once',
    recovery: 'a recovery code is consumed once',
    disable: 'a second factor is disabled once',
    register: 'the id of a passkey is registered once',
    passkey: 'a counter value of a passkey counts once',
  };

  it.each(Object.entries(races) as [Race, string][])('%s: %s', async (race) => {
    for (const _ of rounds) expect(await totalWins(race)).toBe(1);
  });

  it('reserve: a code is tried five times, not once more', async () => {
    for (const _ of rounds) expect(await totalWins('reserve')).toBe(5);
  });

  it('rotations of one token end in one live token', async () => {
    for (const _ of rounds) {
      const prize = await newPrize();
      await totalWins('rotation', prize);
      const found = await storage.refreshFamilies?.findWithUser(prize.familyId);
      expect(found?.family).toMatchObject({ counter: 1, revokedAt: null });
    }
  });

  it('confirmations of one secret leave the codes of one of them, and end sessions once', async () => {
    for (const _ of rounds) {
      const prize = await newPrize();
      await totalWins('confirm', prize);
      expect(await storage.totp?.countRecoveryCodes(prize.userId)).toBe(2);
      const user = await storage.users.findById(prize.userId);
      expect(user).toMatchObject({ epoch: 1, totpEnabled: true });
    }
  });

  it('acceptances of one invite end in one membership', async () => {
    const prize = await newPrize();
    await totalWins('invite', prize);
    expect(await storage.orgs?.listForUser(prize.inviteeId)).toMatchObject([{ role: 'admin' }]);
  });
});
