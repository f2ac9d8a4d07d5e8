// The memory of an import does not grow with the number of its records.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { sqliteAdapter } from 'svc-auth';
import { importingHasher, sequentialUsers } from '../support/imported-users.js';
import { makeService } from '../support/make-service.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
const mebibyte = 1024 * 1024;

it.each([false, true])('an import keeps no record that it has stored, with dryRun %s', async (dryRun) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'svc-auth-memory-'));
  const { service } = await makeService({
    adapter: sqliteAdapter(path.join(folder, 'users.db')),
    encryptionKey: 'a key of the tests for second factors, 32 bytes',
    providers: { emailPassword: { hasher: importingHasher() }, totp: true },
  });
  const heaps = new Map<number, number>();
  const report = await service.users.import(sequentialUsers(30_000), {
    dryRun,
    onProgress({ read }) {
      if (read % 10_000 !== 0) return;
      collectGarbage();
      heaps.set(read, process.memoryUsage().heapUsed);
    },
  });
  await service.close();
  rmSync(folder, { recursive: true });
  expect(report.created).toBe(30_000);
  // 20,000 records more: kept, they would take twenty megabytes.
  expect((heaps.get(30_000)! - heaps.get(10_000)!) / mebibyte).toBeLessThan(5);
});
