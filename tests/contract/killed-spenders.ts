/** Processes that are killed while they spend single-use secrets spend none twice, and lose none. */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { StorageAdapter } from '../../src/storage/adapter.js';
import { createSharedDatabase, type SharedDatabase, type SharedStorage } from '../support/databases.js';
import type { SpenderOrder } from '../support/killed-spender.js';
import { openStorage } from '../support/open-storage.js';
import { prepareSingleUse, singleUseSecret } from '../support/single-use-secrets.js';
import { forkWatched } from '../support/watched-process.js';

const spender = fileURLToPath(new URL('../support/killed-spender.ts', import.meta.url));

/** PGlite is killed with its process. Only one process can use its folder. */
async function createPgliteFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'svc-auth-pglite-'));
  return { url: `pglite:${folder}`, drop: () => rm(folder, { recursive: true, force: true }) };
}

export function describeKilledSpenders(name: SharedStorage | 'PGlite'): void {
  describe(`processes that are killed on ${name} while they spend single-use secrets`, () => {
    const [rounds, perRound, parallel] = [4, 30, 5];
    const numbers = Array.from({ length: rounds * perRound }, (_, n) => n);
    const processes = name === 'PGlite' ? 1 : 2;

    let killed = 0;

    /** Lets processes spend the same secrets, kills each after it has reported some, and returns what all reported. */
    async function killSpenders(secrets: number): Promise<number[]> {
      const order: SpenderOrder = { url: database.url, secrets, parallel };
      const spent: number[] = [];
      await Promise.all(
        Array.from({ length: processes }, async () => {
          const { child } = forkWatched(spender);
          await once(child, 'message');
          const ended = once(child, 'exit');
          let reported = 0;
          child.on('message', (n: number) => {
            spent.push(n);
            if ((reported += 1) === 5) child.kill('SIGKILL');
          });
          child.send(order);
          const [, signal] = (await ended) as [number | null, string | null];
          if (signal === 'SIGKILL') killed += 1;
        }),
      );
      return spent;
    }

    let database: Pick<SharedDatabase, 'url' | 'drop'>;
    let storage: Required<StorageAdapter>;

    async function open(): Promise<void> {
      storage = openStorage(database.url) as Required<StorageAdapter>;
      await storage.init();
    }

    beforeAll(async () => {
      database = name === 'PGlite' ? await createPgliteFolder() : await createSharedDatabase(name);
    });

    afterAll(async () => {
      await storage.close();
      await database.drop();
    });

    it('no secret is spent twice or lost, and each is spent with what belongs to it', async () => {
      await open();
      await prepareSingleUse(storage);
      for (const n of numbers) await singleUseSecret(n).issue(storage);
      // Only one process can have PGlite open.
      await storage.close();
      const reported: number[] = [];
      for (let round = 1; round <= rounds; round += 1)
        reported.push(...(await killSpenders(round * perRound)));
      expect(killed).toBeGreaterThan(0);

      await open();
      const remaining: number[] = [];
      for (const n of numbers) {
        const secret = singleUseSecret(n);
        const hasEffect = await secret.hasEffect?.(storage);
        const isSpent = await secret.spend(storage);
        if (isSpent) remaining.push(n);
        expect([n, hasEffect ?? !isSpent]).toEqual([n, !isSpent]);
        expect([n, await secret.spend(storage)]).toEqual([n, false]);
      }
      const spent = [...reported, ...remaining];
      expect(spent.length).toBe(new Set(spent).size);
      // A process that was killed could not report those that it was spending.
      expect(numbers.length - spent.length).toBeLessThanOrEqual(killed * parallel);
    }, 240_000);
  });
}
