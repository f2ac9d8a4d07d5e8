// `svc-auth purge` and `svc-auth rotate-key`: as commands, in several processes at once, and killed in the middle.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { createKeyring } from '../../src/crypto/keys.js';
import { currentSealPrefix, seal, unseal } from '../../src/crypto/secret-box.js';
import type { StorageAdapter } from '../../src/storage/adapter.js';
import { runCommandLine } from '../support/command-line.js';
import { createSharedDatabase, sharedStorages, type SharedDatabase } from '../support/databases.js';
import { openStorage } from '../support/open-storage.js';
import { forkWatched, waitForExit } from '../support/watched-process.js';
import { maintenanceKeys as keys } from '../support/maintenance-keys.js';
import type { MaintenanceCommand } from '../support/maintaining-process.js';

const script = fileURLToPath(new URL('../support/maintaining-process.ts', import.meta.url));
const library = pathToFileURL(path.resolve(import.meta.dirname, '../../src/index.ts')).href;
const opener = pathToFileURL(path.resolve(import.meta.dirname, '../support/open-storage.ts')).href;
const day = 24 * 60 * 60_000;
const now = Date.now();
const [oldRing, newRing, bothRing] = [
  createKeyring(keys.old),
  createKeyring(keys.current),
  createKeyring(keys.current, [keys.old]),
];

describe.each(sharedStorages(['PostgreSQL', 'SQLite']))('maintenance on %s', (name) => {
  let database: SharedDatabase;
  let storage: StorageAdapter;
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'svc-auth-maintenance-'));
    database = await createSharedDatabase(name);
    storage = openStorage(database.url);
    await storage.init();
  });
  afterEach(async () => {
    await storage.close();
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  async function start(command: Pick<MaintenanceCommand, 'task' | 'killAfter'>) {
    const { child } = forkWatched(script);
    await once(child, 'message');
    const messages: { result?: Record<string, number>; error?: string }[] = [];
    child.on('message', (message) => void messages.push(message as (typeof messages)[0]));
    child.send({ url: database.url, now, ...command });
    await waitForExit(child);
    return { signal: child.signalCode, ...messages.at(-1) };
  }

  async function run(args: string[]) {
    const file = path.join(folder, 'config.mjs');
    await writeFile(
      file,
      `import { createService } from '${library}';
import { openStorage } from '${opener}';
export default createService({
  adapter: openStorage('${database.url}', 3),
  session: { secret: 'a secret of the tests, 32 bytes or more, no other' },
  encryptionKey: '${keys.current}',
  previousEncryptionKeys: ['${keys.old}'],
});`,
    );
    return runCommandLine([...args, '--config', file], { folder });
  }

  const newUser = async (): Promise<string> => {
    const id = randomUUID();
    const user = { email: `${id}@example.com`, emailVerified: true, passwordHash: null, metadata: {} };
    await storage.users.insert({ id, ...user, createdAt: new Date(now) });
    return id;
  };

  /** Users with an authenticator app under the old key. Returns the plain secret of each. */
  async function enroll(count: number): Promise<Map<string, string>> {
    const secrets = new Map<string, string>();
    for (let index = 0; index < count; index += 1) {
      const userId = await newUser();
      const plain = `SECRET${index}`;
      const pendingSecret = seal(oldRing, 'totp', userId, plain);
      await storage.totp!.savePending(userId, pendingSecret);
      const time = { step: 1, now: new Date(now) };
      await storage.totp!.confirm({ userId, pendingSecret, recoveryCodeHashes: [`code ${index}`], ...time });
      secrets.set(userId, plain);
    }
    return secrets;
  }

  /** Each secret is readable, and is what it was. Returns how many are encrypted with the new key. */
  async function expectSecrets(secrets: ReadonlyMap<string, string>): Promise<number> {
    let current = 0;
    for (const [userId, plain] of secrets) {
      const { secret } = (await storage.totp!.find(userId))!;
      expect(unseal(bothRing, 'totp', userId, secret!)?.text).toBe(plain);
      if (secret!.startsWith(currentSealPrefix(newRing, 'totp'))) current += 1;
    }
    return current;
  }

  describe('svc-auth rotate-key', () => {
    it('encrypts every secret with the current key, and has nothing to do afterwards', async () => {
      const secrets = await enroll(3);
      const limited = await run(['rotate-key', '--limit', '2', '--json']);
      expect([limited.code, JSON.parse(limited.out)]).toEqual([
        3,
        { reencrypted: 2, unreadable: 0, left: 1 },
      ]);
      const { code, out, err } = await run(['rotate-key']);
      expect([code, err]).toEqual([0, '']);
      expect(out).toMatch(
        /^Encrypted with the current key: 1\.\nNo secret needs previousEncryptionKeys any more\./,
      );
      expect(await expectSecrets(secrets)).toBe(3);
      expect(await run(['rotate-key', '--json'])).toMatchObject({
        code: 0,
        out: expect.stringContaining('"reencrypted": 0') as unknown,
      });
    });

    it('exits 1 and changes nothing if no configured key decrypts a secret', async () => {
      const secrets = await enroll(1);
      const lost = await newUser();
      const pendingSecret = seal(createKeyring('a key that is lost, 32 bytes or more'), 'totp', lost, 'LOST');
      await storage.totp!.savePending(lost, pendingSecret);
      const enrollment = { pendingSecret, recoveryCodeHashes: [], step: 1, now: new Date(now) };
      await storage.totp!.confirm({ userId: lost, ...enrollment });
      const { code, out } = await run(['rotate-key']);
      expect(code).toBe(1);
      expect(out).toContain('No configured key decrypts 1. They are unchanged');
      expect((await storage.totp!.find(lost))?.secret).toBe(pendingSecret);
      expect(await expectSecrets(secrets)).toBe(1);
    });

    it('is completed by another run if it is killed, and loses no secret', async () => {
      const secrets = await enroll(620);
      expect(await start({ task: 'rotate-key', killAfter: 1 })).toEqual({ signal: 'SIGKILL' });
      const done = await expectSecrets(secrets);
      expect(done).toBeGreaterThan(0);
      expect(done).toBeLessThan(620);
      const { result } = await start({ task: 'rotate-key' });
      expect(result).toEqual({ reencrypted: 620 - done, unreadable: 0 });
      expect(await expectSecrets(secrets)).toBe(620);
    });

    it('runs in four processes at once, and every secret remains what it was', async () => {
      const secrets = await enroll(60);
      const ends = await Promise.all(Array.from({ length: 4 }, () => start({ task: 'rotate-key' })));
      expect(ends.map(({ error, result }) => error ?? result?.['unreadable'])).toEqual([0, 0, 0, 0]);
      expect(await expectSecrets(secrets)).toBe(60);
    });
  });

  describe('svc-auth purge', () => {
    const insertTokens = async (count: number, expiresAt: Date) => {
      for (let index = 0; index < count; index += 1)
        await storage.singleUseTokens.insert({
          digest: randomUUID(),
          purpose: 'magic_link',
          subject: 'ada@example.com',
          expiresAt,
          metadata: {},
        });
    };
    const tokens = async () =>
      Number((await database.sql('select count(*) as total from svc_single_use_tokens'))[0]?.['total']);

    it('removes what has expired, prints the numbers, and leaves the rest', async () => {
      await insertTokens(3, new Date(now - day));
      await insertTokens(2, new Date(now + day));
      const { code, out, err } = await run(['purge']);
      expect([code, err]).toEqual([0, '']);
      expect(out).toMatch(/^TABLE +REMOVED\n/);
      expect(out).toMatch(/\nsingleUseTokens +3\n/);
      expect(await tokens()).toBe(2);
      expect(JSON.parse((await run(['purge', '--json'])).out)).toMatchObject({ singleUseTokens: 0 });
    });

    it('works on DATABASE_URL, removes at most --limit rows of a table, and leaves guests', async () => {
      await insertTokens(3, new Date(now - day));
      const options = { folder, env: { ...process.env, DATABASE_URL: database.url } };
      const { code, out } = await runCommandLine(['purge', '--limit', '2', '--json'], options);
      expect([code, JSON.parse(out)]).toEqual([0, expect.objectContaining({ singleUseTokens: 2 })]);
      expect(JSON.parse(out)).not.toHaveProperty('guests');
    });

    it('is completed by another run if it is killed, and removes nothing that has not expired', async () => {
      await insertTokens(1_200, new Date(now - day));
      await insertTokens(5, new Date(now + day));
      expect(await start({ task: 'purge', killAfter: 1 })).toEqual({ signal: 'SIGKILL' });
      const left = await tokens();
      expect(left).toBeGreaterThan(5);
      expect(left).toBeLessThan(1_205);
      const { result } = await start({ task: 'purge' });
      expect(result).toMatchObject({ singleUseTokens: left - 5 });
      expect(await tokens()).toBe(5);
    });
  });

  it('svc-auth grants prints the rights of the role that creates the tables of the application', async () => {
    const { code, out, err } = await run(['grants', '--app-owner', 'shop_owner']);
    const expected =
      name === 'SQLite'
        ? [1, '', expect.stringContaining('SQLite')]
        : [0, expect.stringMatching(/^grant references .*svc_users to .*shop_owner/m), ''];
    expect([code, out, err]).toEqual(expected);
  });

  it('purge and rotate-key refuse a schema that is behind, and do not change it', async () => {
    await database.sql(
      `delete from svc_migrations where id = (select m from (select max(id) as m from svc_migrations) t)`,
    );
    const { code, err } = await run(['purge']);
    expect(code).toBe(1);
    expect(err).toContain('the database lacks the migrations audit-acting-user: run "npx svc-auth migrate up"');
  });
});

describe('svc-auth purge and rotate-key', () => {
  it.each([
    [['purge', '--limit', 'x'], '--limit must be a whole number'],
    [['purge', '--guests'], '--guests needs --config'],
    [['purge', 'extra'], 'only options'],
    [['rotate-key'], 'Pass --config'],
    [['rotate-key', '--config', 'nothing.js'], 'does not exist'],
    [['grants'], 'Pass --role'],
  ])('exits 2 for wrong usage: %j', async (args, message) => {
    const env = { ...process.env, DATABASE_URL: undefined };
    const { code, err } = await runCommandLine(args, { folder: tmpdir(), env });
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  });
});
