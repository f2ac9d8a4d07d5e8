/**
 * `npm run bench -- import`: imports users with bcrypt hashes and an identity each into every database, and prints the time, the rate and
 * the memory at a third and at the end: it must not grow with the number of users. USERS changes the number, DATABASES selects
 * some of PostgreSQL, MariaDB and SQLite; `-- --write` replaces the table in docs/performance.md.
 */
import { availableParallelism, cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { createService } from '../src/index.js';
import type { ImportedUser } from '../src/domain/imported-user.js';
import { openStorage } from '../tests/support/open-storage.js';
import { databaseKinds, startDatabases, type DatabaseKind } from './database-servers.js';
import { toText, writeTables, type Table } from './report.js';

const { values: options } = parseArgs({ options: { write: { type: 'boolean', default: false } } });
const users = Number(process.env['USERS'] ?? 100_000);
const selected = process.env['DATABASES']?.split(',') ?? databaseKinds;
const kinds = databaseKinds.filter((kind) => selected.includes(kind));

function* records(): Generator<ImportedUser> {
  for (let n = 0; n < users; n += 1)
    yield {
      externalId: n + 1,
      email: `user${n}@example.com`,
      emailVerified: true,
      // cspell:disable-next-line
      passwordHash: `$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17${String(n).padStart(4, '0').slice(-4)}`,
      metadata: { name: `User ${n}`, plan: 'free' },
      createdAt: 1_500_000_000_000 + n * 1_000,
      identities: [{ provider: 'google', providerAccountId: String(10 ** 12 + n) }],
    };
}

interface Measured {
  kind: DatabaseKind;
  seconds: number;
  /** In megabytes, after a third of the users and at the end. */
  memory: [third: number, end: number];
}

function megabytes(): number {
  globalThis.gc?.();
  return process.memoryUsage().rss / 2 ** 20;
}

async function measure(kind: DatabaseKind, url: string): Promise<Measured> {
  const service = createService({
    appName: 'Bench',
    adapter: openStorage(url),
    session: { secret: 'a secret of the benchmark, 32 bytes or more' },
    providers: { emailPassword: { sender: { send: async () => undefined } } },
  });
  await service.init();
  let third = 0;
  const start = performance.now();
  const report = await service.users.import(records(), {
    onProgress({ read }) {
      if (third === 0 && read >= users / 3) third = megabytes();
    },
  });
  const seconds = (performance.now() - start) / 1_000;
  if (report.created !== users)
    throw new Error(`${report.created} users: ${JSON.stringify(report.faults[0])}`);
  const memory: Measured['memory'] = [third, megabytes()];
  await service.close();
  return { kind, seconds, memory };
}

const servers = await startDatabases(kinds);
try {
  const measured: Measured[] = [];
  for (const kind of kinds) measured.push(await measure(kind, await servers.create(kind, 'import_users')));
  const table: Table = {
    id: 'import',
    caption: `${users.toLocaleString('en-US')} users with bcrypt hashes and an identity each: ${availableParallelism()} cores, ${cpus()[0]?.model ?? 'unknown processor'}, Node ${process.version}, \`npm run bench -- import\`.`,
    head: ['Database', 'Time', 'Users per second', 'Memory after a third', 'Memory at the end'],
    rows: measured.map(({ kind, seconds, memory: [atThird, end] }) => [
      kind,
      `${seconds.toFixed(1)} s`,
      Math.round(users / seconds).toLocaleString('en-US'),
      `${atThird.toFixed(0)} MB`,
      `${end.toFixed(0)} MB`,
    ]),
  };
  console.log(toText(table));
  if (options.write) await writeTables(new URL('../docs/performance.md', import.meta.url), [table]);
} finally {
  await servers.stop();
}
