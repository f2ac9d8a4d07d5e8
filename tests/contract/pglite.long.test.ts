import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pgliteAdapter } from '../../src/adapters/postgres/pglite-adapter.js';
import { describeStorageAdapter } from '../../testing/storage-conformance.js';

describeStorageAdapter('pgliteAdapter in memory', () => pgliteAdapter());

describe('pgliteAdapter in a folder', () => {
  let parent: string;
  beforeAll(async () => {
    parent = await mkdtemp(join(tmpdir(), 'svc-auth-pglite-'));
  });
  afterAll(() => rm(parent, { recursive: true, force: true }));

  it('pgliteAdapter(folder) creates the folder with its parents, and keeps its data when closed and opened again', async () => {
    const folder = join(parent, 'not', 'there', 'yet');
    const hits = [{ key: 'visits', windowMs: 60_000 }];
    for (const count of [1, 2]) {
      const adapter = pgliteAdapter(folder);
      await adapter.init();
      expect(await adapter.rateLimits.hit(hits, 0)).toEqual([{ count, resetAt: 60_000 }]);
      await adapter.close();
    }
  });
});
