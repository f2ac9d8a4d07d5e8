/** A process that is killed in the middle of its writes leaves nothing half done, and no lock behind. */
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { StorageAdapter } from '../../src/storage/adapter.js';
import { createSharedDatabase, type SharedDatabase, type SharedStorage } from '../support/databases.js';
import { openStorage } from '../support/open-storage.js';
import { forkWatched } from '../support/watched-process.js';

const script = fileURLToPath(new URL('../support/killed-writer.ts', import.meta.url));
const now = new Date('2031-05-06T07:08:09.123Z');
const kills = 6;

export function describeKilledProcess(name: SharedStorage): void {
  describe(`a process that is killed on ${name}`, () => {
    let database: SharedDatabase;
    let storage: StorageAdapter;

    beforeAll(async () => {
      database = await createSharedDatabase(name);
      storage = openStorage(database.url);
      await storage.init();
    });

    afterAll(async () => {
      await storage.close();
      await database.drop();
    });

    /** Kills a process after it has made some changes, in the middle of others. */
    async function killWriter(): Promise<void> {
      const { child } = forkWatched(script);
      await once(child, 'message');
      child.send(database.url);
      for (let changes = 0; changes < 20; changes += 1) await once(child, 'message');
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    }

    it('leaves every user with a session, or no row of the user', async () => {
      for (let kill = 0; kill < kills; kill += 1) await killWriter();
      const users = await storage.userAdministration!.list({ now }, 'oldest', {});
      expect(users.length).toBeGreaterThan(kills * 10);
      for (const user of users) {
        const [session, ...others] = (await storage.accounts?.listSessions(user.id)) ?? [];
        expect(others).toEqual([]);
        // Revoked together with the raised epoch, or not at all.
        expect(session?.revokedAt === null).toBe(user.epoch === 0);
      }
      const ids = new Set(users.map(({ id }) => id));
      const rows = await database.sql('select subject as id from svc_single_use_tokens');
      expect(rows.filter(({ id }) => !ids.has(String(id)))).toEqual([]);
      expect(await database.sql('select count(*) as sessions from svc_sessions')).toEqual([
        { sessions: name === 'PostgreSQL' ? String(users.length) : users.length },
      ]);
    }, 120_000);

    it('leaves no lock: another process changes the same users at once', async () => {
      const users = await storage.userAdministration!.list({ now }, 'oldest', { limit: 50 });
      const ended = await Promise.all(users.map(({ id }) => storage.sessions.revokeAll(id, now)));
      expect(ended).toEqual(users.map(() => true));
    });
  });
}
