/** The schema of the databases other than PostgreSQL: created once, kept, exact. */
import { randomUUID } from 'node:crypto';
import { createEmptyDatabase } from '../support/databases.js';
import { openStorage } from '../support/open-storage.js';

const createdAt = new Date('2031-05-06T07:08:09.123Z');

export function describePortableSchema(name: 'SQLite' | 'MariaDB'): void {
  describe(`the schema of ${name}`, () => {
    it('is created once by eight adapters that start at the same time', async () => {
      const database = await createEmptyDatabase(name);
      const adapters = Array.from({ length: 8 }, () => openStorage(database.url, 2));
      await Promise.all(adapters.map((adapter) => adapter.init()));
      expect(await database.sql('select id, name from svc_migrations')).toEqual([
        { id: 1, name: 'first-release' },
        { id: 2, name: 'oauth-server' },
        { id: 3, name: 'oauth-token-clients' },
        { id: 4, name: 'external-ids' },
        { id: 5, name: 'foreign-api-keys' },
        { id: 6, name: 'passkey-handles' },
        { id: 7, name: 'lockdowns' },
        { id: 8, name: 'bound-sessions' },
        { id: 9, name: 'audit-log' },
        { id: 10, name: 'statistics' },
        { id: 11, name: 'audit-acting-user' },
      ]);
      await Promise.all(adapters.map((adapter) => adapter.close()));
      await database.drop();
    });

    it('keeps its data when the adapter is opened again', async () => {
      const database = await createEmptyDatabase(name);
      const user = { id: randomUUID(), email: 'ada@example.com', emailVerified: true, passwordHash: null };
      const first = openStorage(database.url);
      await first.init();
      expect(await first.users.insert({ ...user, metadata: { plan: 'pro' }, createdAt })).toBe(true);
      await first.close();
      const second = openStorage(database.url);
      await second.init();
      expect(await second.users.findByEmail(user.email)).toMatchObject({
        ...user,
        metadata: { plan: 'pro' },
        createdAt,
      });
      await second.close();
      await database.drop();
    });

    it('stores times of any zone of the session in UTC, and distinguishes addresses by every byte', async () => {
      const database = await createEmptyDatabase(name);
      const storage = openStorage(database.url);
      await storage.init();
      const user = { emailVerified: true, passwordHash: null, metadata: {}, createdAt };
      for (const provider of ['a', 'a ', 'A', '\u00e4'])
        expect(
          await storage.identities.insertWithUser(
            { id: randomUUID(), userId: '', provider: 'acme', providerAccountId: provider, createdAt },
            { ...user, id: randomUUID(), email: null },
          ),
        ).toBe(true);
      expect(await storage.identities.findUser('acme', 'a  ')).toBeNull();
      const before = Date.now();
      const time = await storage.currentTime?.();
      // The database may round its time to seconds.
      expect(time).toBeGreaterThanOrEqual(before - 1_000);
      expect(time).toBeLessThanOrEqual(Date.now() + 1_000);
      await storage.close();
      await database.drop();
    });
  });
}
