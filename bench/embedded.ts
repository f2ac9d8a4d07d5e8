/**
 * `npm run bench -- embedded`: what the databases without a server add to an application, and how long it takes to start with
 * a new and with an existing database. Needs a build, and npm to install the packages.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toText, weightTable } from './report.js';
import { creation, packed, weigh, type Stack } from './weight.js';

const starts = Number(process.env['STARTS'] ?? 5);

const databases = [
  { label: 'In memory', packages: [], adapter: 'memoryAdapter', path: '' },
  ...[
    { label: 'SQLite', packages: ['libsql'], adapter: 'sqliteAdapter' },
    { label: 'PGlite', packages: ['@electric-sql/pglite', 'knex-pglite'], adapter: 'pgliteAdapter' },
  ].flatMap(({ label, ...database }) => [
    { label: `${label}, new`, ...database, path: '`${url}-${process.pid}`' },
    { label: `${label}, existing`, ...database, path: 'url' },
  ]),
];

const folder = await mkdtemp(join(tmpdir(), 'svc-auth-embedded-'));
try {
  const stacksIn = async (installation: string): Promise<Stack[]> => {
    const archive = await packed(installation);
    return databases.map(({ label, packages, adapter, path }) => ({
      label,
      packages: [archive, ...packages],
      load: `const { createAuthRouter, createService, ${adapter} } = await import('svc-auth');`,
      create: creation(`${adapter}(${path})`),
    }));
  };
  const weights = await weigh(stacksIn, async (name) => join(folder, name), starts);
  console.log(toText(weightTable(weights, `Medians of ${starts} starts, Node ${process.version}.`)));
} finally {
  await rm(folder, { recursive: true, force: true });
}
