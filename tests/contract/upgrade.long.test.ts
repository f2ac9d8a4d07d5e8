/**
 * Databases of earlier releases, with rows in every table, are migrated: nothing is lost,
 * everything remains usable.
 */
import knexPackage, { type Knex } from 'knex';
import { knexAdapter } from '../../src/adapters/knex-adapter.js';
import type { StorageAdapter } from '../../src/storage/adapter.js';
import { createDatabase, type TestDatabase } from '../support/postgres.js';
import {
  familyId,
  idOf,
  installRelease,
  keyId,
  orgId,
  readRows,
  type Release,
  releases,
  sessionId,
  userId,
  insertRow,
} from '../support/releases.js';

const now = new Date('2031-05-06T07:08:09.123Z');

let database: TestDatabase;
let knex: Knex;
let storage: Required<StorageAdapter>;

async function openOn(release: Release): Promise<void> {
  database = await createDatabase();
  knex = knexPackage({ client: 'pg', connection: database.url });
  await installRelease(knex, release);
  storage = knexAdapter(knex) as Required<StorageAdapter>;
}

afterEach(async () => {
  await knex.destroy();
  await database.drop();
});

async function addSecondFactor(id: string): Promise<void> {
  expect(await storage.totp.savePending(id, 'secret')).toBe('kept');
  const confirmation = { userId: id, pendingSecret: 'secret', step: 1, recoveryCodeHashes: ['hash'], now };
  expect(await storage.totp.confirm(confirmation)).toBe(true);
}

async function addPasskey(id: string, epoch: number): Promise<void> {
  const key = { publicKey: 'key', counter: 0, transports: [], backupEligible: false, backedUp: false };
  const credential = {
    id: 'passkey',
    userId: id,
    ...key,
    aaguid: '',
    name: null,
    lastUsedFrom: null,
    userHandle: null,
    createdAt: now,
    lastUsedAt: null,
  };
  expect(await storage.credentials.insert(credential, epoch)).toBe('inserted');
}

describe.each(Object.entries(releases))('a database of the %s release', (_, release) => {
  const { rows } = release;

  beforeEach(() => openOn(release));

  it('init() keeps every row of the earlier release', async () => {
    await storage.init();
    await storage.init();
    for (const [table, row] of Object.entries(rows)) {
      expect([table, await readRows(knex, table, release)]).toEqual([table, [row]]);
    }
    expect(await knex('svc_migrations').orderBy('id')).toEqual([
      { id: 1, name: 'first-release' },
      { id: 2, name: 'pro-tier' },
      { id: 3, name: 'second-factors' },
      { id: 4, name: 'account-states' },
      { id: 5, name: 'renewals-in-place' },
      { id: 6, name: 'list-pages' },
      { id: 7, name: 'user-administration' },
      { id: 8, name: 'session-changes' },
      { id: 9, name: 'more-second-factors' },
      { id: 10, name: 'passkey-details' },
      { id: 11, name: 'links-with-codes' },
      { id: 12, name: 'session-origins' },
      { id: 13, name: 'user-languages' },
      { id: 14, name: 'oauth-server' },
      { id: 15, name: 'oauth-token-clients' },
      { id: 16, name: 'external-ids' },
      { id: 17, name: 'foreign-api-keys' },
      { id: 18, name: 'passkey-handles' },
      { id: 19, name: 'lockdowns' },
      { id: 20, name: 'bound-sessions' },
      { id: 21, name: 'bound-session-changes' },
      { id: 22, name: 'audit-log' },
      { id: 23, name: 'statistics' },
      { id: 24, name: 'audit-acting-user' },
    ]);
  });

  it('rows of the earlier release work as before, without guests and second factors', async () => {
    await storage.init();
    expect(await storage.guests.isGuest(userId)).toBe(false);
    expect(await storage.totp.find(userId)).toBeNull();
    const sessionWithUser = await storage.sessions.findWithUser(sessionId);
    expect(sessionWithUser).toMatchObject({
      session: { device: { name: 'Phone' } },
      user: { email: 'ada@example.test', totpEnabled: false },
    });
    expect(await storage.identities.findUser('google', 'ada')).toEqual(sessionWithUser?.user);
    const guess = {
      purpose: 'email_code',
      subject: 'ada@example.test',
      codeHashes: [],
      maxAttempts: 5,
    } as const;
    const attempt = await storage.oneTimeCodes.attempt({ ...guess, now });
    expect(attempt).toMatchObject({ status: 'wrong', code: { attempts: 3 } });
    const [hit] = await storage.rateLimits.hit([{ key: 'send:ada', windowMs: 1 }], now.getTime());
    expect(hit?.count).toBe(4);
    // The row has the user's id and no state of the account.
    const link = { tokenDigest: 'digest', email: 'ada@example.test', userId };
    expect(await storage.users.resetPassword({ ...link, passwordHash: 'new', now })).toBeNull();
    expect(await storage.users.claim(userId, now)).toMatchObject({ epoch: 5, emailVerified: true });
  });

  it('users of the earlier release can use every new feature', async () => {
    await storage.init();
    const times = { createdAt: now, expiresAt: new Date(now.getTime() + 1000), revokedAt: null };
    const family = { id: idOf(20), userId, kind: null, counter: 0, epoch: 4, claims: {}, device: {} };
    expect(await storage.refreshFamilies.insert({ ...family, rotatedAt: now, ...times })).toBe(true);
    await addPasskey(userId, 4);
    await addSecondFactor(userId);
    expect(await storage.sessions.findWithUser(sessionId)).toMatchObject({
      session: { revokedAt: now },
      user: { epoch: 5, totpEnabled: true },
    });
    const org = { id: idOf(21), name: 'Acme', slug: 'new', metadata: {}, createdAt: now, updatedAt: now };
    const owner = { orgId: org.id, userId, role: 'owner' as const, createdAt: now };
    expect(await storage.orgs.create(org, owner)).toBe('created');
    await storage.users.markEmailVerified(userId, now);
    const within = async () => undefined;
    expect(await storage.accounts.deleteUser(userId, within)).toMatchObject({ status: 'last_owner' });
    for (const owned of await storage.orgs.listForUser(userId)) {
      expect(await storage.orgs.delete(owned.orgId)).toBe(true);
    }
    expect(await storage.accounts.deleteUser(userId, within)).toEqual({ status: 'deleted' });
    const { svc_rate_limits: _rate, ...ofUsers } = rows;
    const added = ['svc_totp', 'svc_recovery_codes', 'svc_credentials'];
    for (const table of [...Object.keys(ofUsers), ...added]) {
      expect([table, await knex(table)]).toEqual([table, []]);
    }
  });

  it('an authenticator app of an earlier release works as the first of several', async () => {
    await storage.init();
    // As the previous release writes it: it does not know ids and names of apps.
    const app = { user_id: userId, secret: 'secret', last_step: 7, pending_secret: null, confirmed_at: now };
    await insertRow(knex, 'svc_totp', app);
    const first = { id: userId, userId, name: null, secret: 'secret', lastStep: 7, createdAt: now };
    expect(await storage.totp.listApps(userId)).toEqual([{ ...first, lastUsedAt: null }]);
    expect(await storage.totp.advance(userId, 'secret', 7, now)).toBe(false);
    expect(await storage.totp.advance(userId, 'secret', 8, now)).toBe(true);
    await storage.totp.savePending(userId, 'second');
    const addition = { userId, pendingSecret: 'second', step: 1, now, appId: idOf(40), maxApps: 2 };
    expect(await storage.totp.addApp(addition)).toBe('added');
    expect(await storage.totp.renameApp(userId, userId, 'Phone')).toBe(true);
    expect(await storage.totp.setEmail(userId, true, now)).toBe(true);
    // The previous release disables the second factor: nothing of it comes back.
    await knex('svc_totp').where({ user_id: userId }).delete();
    expect(await knex('svc_totp_apps')).toEqual([]);
    await addSecondFactor(userId);
    expect(await storage.totp.listApps(userId)).toMatchObject([{ id: userId, name: null, secret: 'secret' }]);
    expect(await storage.totp.findFactors(userId)).toMatchObject({ email: false, preferred: null });
  });

  it('processes of the earlier release keep working next to processes of this one', async () => {
    await storage.init();
    // Their statements name their own columns, as the rows of this test do.
    const newId = idOf(30);
    await insertRow(knex, 'svc_users', { ...rows['svc_users'], id: newId, email: null });
    await insertRow(knex, 'svc_sessions', { ...rows['svc_sessions'], id: idOf(31), user_id: newId });
    expect(await storage.guests.isGuest(newId)).toBe(false);
    const sessionWithUser = await storage.sessions.findWithUser(idOf(31));
    expect(sessionWithUser?.user).toMatchObject({ id: newId, totpEnabled: false });
    await addPasskey(newId, 4);
    await addSecondFactor(newId);
    // An update by the earlier release keeps columns that it does not know, and a deletion also
    // deletes new rows.
    await knex('svc_users').where({ id: newId }).update({ email_verified: true });
    expect(await storage.users.findById(newId)).toMatchObject({ totpEnabled: true, emailVerified: true });
    await knex('svc_users').where({ id: newId }).delete();
    expect(await storage.totp.find(newId)).toBeNull();
    expect(await storage.totp.countRecoveryCodes(newId)).toBe(0);
    expect(await storage.credentials.findWithUser('passkey')).toBeNull();
  });

  it('every foreign key has an index, so that a deletion does not read whole tables', async () => {
    await storage.init();
    const { rows: unindexed } = await knex.raw<{ rows: unknown[] }>(`
      select c.conrelid::regclass as table, a.attname as column
      from pg_constraint c join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
      where c.contype = 'f' and not exists (
        select from pg_index i where i.indrelid = c.conrelid and i.indkey[0] = c.conkey[1])`);
    expect(unindexed).toEqual([]);
  });
});

describe('a database of the second release', () => {
  beforeEach(() => openOn(releases.second));

  it('refresh families, keys, organizations and invites of the second release work as before', async () => {
    await storage.init();
    const rotation = { familyId, counter: 7, graceMs: 10, now };
    expect(await storage.refreshFamilies.rotate(rotation)).toMatchObject({
      status: 'rotated',
      family: { counter: 8, claims: { plan: 'free' } },
    });
    expect(await storage.apiKeys.findById(keyId)).toMatchObject({ userId, scopes: ['read'] });
    expect(await storage.orgs.findBySlug('acme')).toMatchObject({ id: orgId });
    expect(await storage.orgs.roleOf(orgId, userId)).toBe('owner');
    const grace = { id: idOf(40), email: 'grace@example.test', emailVerified: true, passwordHash: null };
    await storage.users.insert({ ...grace, metadata: {}, createdAt: now });
    expect(
      await storage.orgs.acceptInvite('invite', grace.id, now, ({ invite }) => invite.role),
    ).toMatchObject({ status: 'accepted' });
  });

  it('refresh families of the second release end when a second factor is confirmed', async () => {
    await storage.init();
    await addSecondFactor(userId);
    const rotation = { familyId, counter: 7, graceMs: 10, now };
    expect(await storage.refreshFamilies.rotate(rotation)).toEqual({ status: 'invalid', userId });
  });
});
