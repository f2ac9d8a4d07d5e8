/**
 * Databases of the first release with SQLite, MariaDB or MySQL, with a row in every table as that release wrote it, are
 * migrated: nothing is lost, everything remains usable.
 */
import { mysqlDialect } from '../../src/adapters/portable/mysql-dialect.js';
import { firstRelease } from '../../src/adapters/portable/migrations/0001-first-release.js';
import { sqliteDialect } from '../../src/adapters/portable/sqlite-dialect.js';
import { compiler } from '../../src/adapters/portable/statements.js';
import type { StorageAdapter } from '../../src/storage/adapter.js';
import { createEmptyDatabase, type SharedDatabase } from '../support/databases.js';
import { openStorage } from '../support/open-storage.js';
import { idOf } from '../support/releases.js';

const [userId, sessionId, orgId, familyId, keyId] = [1, 2, 3, 4, 5].map(idOf) as [
  string,
  string,
  string,
  string,
  string,
];
const email = 'ada@example.test';
const then = new Date('2031-05-01T00:00:00.005Z');
const now = new Date('2031-05-06T07:08:09.123Z');
const later = new Date('2031-06-01T00:00:00.007Z');

type Cell = string | number | null | Date;

const times = { created_at: then, last_used_at: null };
const rows: Readonly<Record<string, Readonly<Record<string, Cell>>>> = {
  svc_users: {
    id: userId,
    email,
    email_verified: 1,
    password_hash: '$2b$10$hash',
    metadata: '{"plan":"free"}',
    epoch: 4,
    sessions_valid_after: null,
    totp_enabled: 1,
    blocked_at: null,
    blocked_until: null,
    blocked_reason: null,
    roles: '["editor"]',
    is_guest: 0,
    username: 'Ada',
    username_key: 'ada',
    last_sign_in_at: then,
    language: 'en',
    created_at: then,
    updated_at: then,
  },
  svc_identities: {
    id: idOf(10),
    user_id: userId,
    provider: 'google',
    provider_account_id: 'ada',
    created_at: then,
  },
  svc_sessions: {
    id: sessionId,
    user_id: userId,
    device: '{"name":"Phone"}',
    created_at: then,
    last_seen_at: then,
    expires_at: later,
    revoked_at: null,
    trusted_browser_id: idOf(11),
  },
  svc_one_time_codes: {
    purpose: 'email_code',
    subject: email,
    code_hash: 'mac',
    attempts: 2,
    expires_at: later,
    consumed_at: null,
    metadata: '{}',
    link_digest: null,
  },
  svc_single_use_tokens: {
    digest: 'digest',
    purpose: 'password_reset',
    subject: email,
    expires_at: later,
    metadata: '{}',
    account_epoch: 4,
    account_has_password: 1,
  },
  svc_rate_limits: { counter_key: 'send:ada', hits: 3, reset_at: later },
  svc_refresh_families: {
    id: familyId,
    kind: null,
    user_id: userId,
    counter: 7,
    rotated_at: then,
    epoch: 4,
    claims: '{"plan":"free"}',
    device: '{}',
    created_at: then,
    expires_at: later,
    revoked_at: null,
  },
  svc_orgs: {
    id: orgId,
    name: 'Acme',
    slug: 'acme',
    metadata: '{}',
    created_at: then,
    updated_at: then,
  },
  svc_org_memberships: { org_id: orgId, user_id: userId, role: 'owner', created_at: then },
  svc_org_invites: {
    id: idOf(12),
    digest: 'invite',
    org_id: orgId,
    email: 'grace@example.test',
    role: 'member',
    invited_by_user_id: userId,
    created_at: then,
    expires_at: later,
    accepted_at: null,
  },
  svc_api_keys: {
    id: keyId,
    name: 'Deployment',
    prefix: 'svc_abcd',
    secret_hash: 'hash',
    user_id: userId,
    org_id: null,
    scopes: '["read"]',
    metadata: '{}',
    ...times,
    expires_at: null,
    revoked_at: null,
  },
  svc_totp: { user_id: userId, pending_secret: null, email_factor: 1, preferred_method: 'totp' },
  svc_totp_apps: {
    id: idOf(13),
    user_id: userId,
    place: 0,
    name: null,
    secret: 'secret',
    last_step: 7,
    ...times,
  },
  svc_recovery_codes: { user_id: userId, code_hash: 'recovery' },
  svc_trusted_browsers: {
    id: idOf(11),
    user_id: userId,
    secret_hash: 'browser',
    epoch: 4,
    device: '{}',
    ...times,
    expires_at: later,
  },
  svc_credentials: {
    id: 'passkey',
    user_id: userId,
    public_key: 'key',
    counter: 1,
    transports: '[]',
    backup_eligible: 0,
    backed_up: 0,
    aaguid: '',
    name: 'Laptop',
    last_used_from: null,
    ...times,
  },
};

export function describePortableUpgrade(name: 'SQLite' | 'MariaDB'): void {
  describe(`a database of the first release on ${name}`, () => {
    const dialect = name === 'SQLite' ? sqliteDialect() : mysqlDialect();
    let database: SharedDatabase;
    let storage: Required<StorageAdapter>;

    function literal(cell: Cell): string {
      const value = cell instanceof Date ? dialect.toTime(cell) : cell;
      return typeof value === 'string' ? `'${value}'` : String(value);
    }

    /** @param statements how many of the migration a process applied before it ended. By default, all of them, and it registered them. */
    async function install(statements = Infinity): Promise<void> {
      if (name === 'MariaDB') await dialect.check(database.sql);
      const compile = compiler(dialect.marks);
      const run = (text: string) => database.sql(compile(text).sql);
      await run(
        'create table svc_migrations (id integer not null primary key, name {text 100} not null) {options}',
      );
      for (const statement of firstRelease.statements.slice(0, statements)) await run(statement);
      if (statements !== Infinity) return;
      await run(`insert into svc_migrations (id, name) values (1, '${firstRelease.name}')`);
      for (const [table, row] of Object.entries(rows)) {
        const values = Object.values(row).map(literal);
        const columns = Object.keys(row).join(', ');
        await database.sql(`insert into ${table} (${columns}) values (${values.join(', ')})`);
      }
    }

    beforeEach(async () => {
      database = await createEmptyDatabase(name);
      storage = openStorage(database.url) as Required<StorageAdapter>;
    });

    afterEach(async () => {
      await storage.close();
      await database.drop();
    });

    it('keeps every row', async () => {
      await install();
      await storage.init();
      await storage.init();
      const tables = firstRelease.statements.flatMap((text) => /^create table (\w+)/.exec(text)?.[1] ?? []);
      expect(Object.keys(rows).sort()).toEqual([...tables].sort());
      for (const [table, row] of Object.entries(rows)) {
        const conditions = Object.entries(row).map(([column, cell]) =>
          cell === null ? `${column} is null` : `${column} = ${literal(cell)}`,
        );
        const found = await database.sql(`select 1 as n from ${table} where ${conditions.join(' and ')}`);
        expect([table, found]).toEqual([table, [{ n: 1 }]]);
      }
    });

    it('serves every row as that release did', async () => {
      await install();
      await storage.init();
      const found = await storage.sessions.findWithUser(sessionId);
      expect(found).toMatchObject({
        session: { device: { name: 'Phone' }, createdAt: then, expiresAt: later, revokedAt: null },
        user: { email, epoch: 4, metadata: { plan: 'free' }, roles: ['editor'], totpEnabled: true },
      });
      expect(await storage.identities.findUser('google', 'ada')).toEqual(found?.user);
      expect(await storage.totp.advance(userId, 'secret', 7, now)).toBe(false);
      expect(await storage.totp.advance(userId, 'secret', 8, now)).toBe(true);
      expect(await storage.totp.consumeRecoveryCode(userId, ['recovery'])).toEqual({ left: 0 });
      expect(await storage.credentials.use({ id: 'passkey', counter: 2, backedUp: false, now })).toBe(true);
      expect(await storage.apiKeys.findById(keyId)).toMatchObject({ userId, scopes: ['read'] });
      const rotation = { familyId, counter: 7, graceMs: 10, now };
      expect(await storage.refreshFamilies.rotate(rotation)).toMatchObject({ family: { counter: 8 } });
      const [hit] = await storage.rateLimits.hit([{ key: 'send:ada', windowMs: 1 }], now.getTime());
      expect(hit?.count).toBe(4);
      const code = { purpose: 'email_code', subject: email, maxAttempts: 5, now } as const;
      expect(await storage.oneTimeCodes.attempt({ ...code, codeHashes: ['mac'] })).toMatchObject({
        status: 'consumed',
        code: { attempts: 3 },
      });
      const grace = { id: idOf(20), email: 'grace@example.test', emailVerified: true, passwordHash: null };
      await storage.users.insert({ ...grace, metadata: {}, createdAt: now });
      const accepted = await storage.orgs.acceptInvite('invite', grace.id, now, ({ invite }) => invite.role);
      expect(accepted).toMatchObject({ status: 'accepted' });
      const reset = { tokenDigest: 'digest', email, userId, passwordHash: 'new', now };
      expect(await storage.users.resetPassword(reset)).toMatchObject({ user: { epoch: 5 }, claimed: false });
      expect(await storage.orgs.delete(orgId)).toBe(true);
      expect(await storage.accounts.deleteUser(userId, async () => undefined)).toEqual({ status: 'deleted' });
      for (const table of Object.keys(rows).filter((each) => !/users|rate_limits|one_time/.test(each)))
        expect([table, await database.sql(`select * from ${table}`)]).toEqual([table, []]);
    });

    // SQLite migrates in one transaction.
    const itOnMariaDb = name === 'MariaDB' ? it : it.skip;
    itOnMariaDb('is completed if a process ended while it migrated', async () => {
      await install(20);
      await storage.init();
      expect(await database.sql('select id, name from svc_migrations')).toContainEqual({
        id: 1,
        name: 'first-release',
      });
      const user = { id: userId, email, emailVerified: true, passwordHash: null, metadata: {} };
      expect(await storage.users.insert({ ...user, createdAt: now })).toBe(true);
      expect(await storage.credentials.findWithUser('passkey')).toBeNull();
    });
  });
}
