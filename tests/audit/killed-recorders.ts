/** A process that is killed in the middle of its changes leaves no change without a record, and no record without a change. */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { createSharedDatabase, type SharedStorage } from '../support/databases.js';
import { makeService } from '../support/make-service.js';
import { openStorage } from '../support/open-storage.js';
import { forkWatched } from '../support/watched-process.js';

const script = fileURLToPath(new URL('../support/killed-recorder.ts', import.meta.url));
const kills = 5;

async function open(name: SharedStorage | 'PGlite'): Promise<{ url: string; drop: () => Promise<void> }> {
  if (name !== 'PGlite') return createSharedDatabase(name);
  const folder = await mkdtemp(path.join(tmpdir(), 'svc-auth-audit-'));
  return { url: `pglite:${folder}`, drop: () => rm(folder, { recursive: true, force: true }) };
}

/** Kills a process after some changes, each time after another number of them. */
async function killRecorder(url: string, changes: number): Promise<void> {
  const { child } = forkWatched(script);
  await once(child, 'message');
  const ended = once(child, 'exit');
  child.send(url);
  for (let count = 0; count < changes; count += 1) await once(child, 'message');
  child.kill('SIGKILL');
  await ended;
}

export function describeKilledRecorders(name: SharedStorage | 'PGlite'): void {
  it(`leaves no change without a record, and no record without a change, when it is killed on ${name}`, async () => {
    const database = await open(name);
    try {
      if (name !== 'PGlite') {
        const storage = openStorage(database.url);
        await storage.init();
        await storage.close();
      }
      for (let kill = 0; kill < kills; kill += 1) await killRecorder(database.url, 10 + 3 * kill);
      const adapter = openStorage(database.url);
      const { service } = await makeService({ adapter, audit: true });
      try {
        const verification = await service.audit.verify();
        expect(verification).toMatchObject({ ok: true, unsealed: 0 });
        const seen = new Map<string, Map<string, number>>();
        for await (const { action, userId } of service.audit.tail({ follow: false })) {
          const actions = seen.get(userId!) ?? new Map<string, number>();
          seen.set(userId!, actions.set(action, (actions.get(action) ?? 0) + 1));
        }
        const now = new Date();
        const users = await adapter.userAdministration!.list({ now }, 'oldest', {});
        expect(users.length).toBeGreaterThan(kills * 10);
        expect([...seen.keys()].sort()).toEqual(users.map(({ id }) => id).sort());
        for (const user of users) {
          const actions = seen.get(user.id)!;
          const sessions = await adapter.accounts!.listSessions(user.id);
          expect(actions.get('user.created')).toBe(1);
          expect(actions.get('user.blocked') ?? 0).toBe(user.blocked ? 1 : 0);
          expect(actions.get('session.created')).toBe(sessions.length);
          // A block ends sessions by the epoch, and has one record.
          const ended = sessions.filter(({ revokedAt }) => revokedAt !== null).length;
          if (!user.blocked) expect(actions.get('session.revoked') ?? 0).toBe(ended);
        }
      } finally {
        await service.close();
      }
    } finally {
      await database.drop();
    }
  }, 240_000);
}
