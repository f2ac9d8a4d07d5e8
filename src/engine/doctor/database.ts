/** The database: its schema, its clock, its pool, and what lies between. Reads only. */
import { settlesWithin, withTimeout } from '../../core/support/timeouts.js';
import type { StorageAdapter } from '../../storage/adapter.js';
import type { StorageInspection } from '../../storage/inspection.js';
import type { Examined, Family, Found } from './finding.js';

export const database: Family = {
  kinds: {
    storage_unreachable: { severity: 'error', why: 'Nothing works without the database.' },
    storage_memory: {
      severity: 'error',
      why: 'Every account is lost when the process ends, and other processes do not see it.',
    },
    migrations_missing: { severity: 'error', why: 'Statements name tables or columns that do not exist.' },
    migrations_ahead: {
      severity: 'warning',
      why: 'A newer release has changed the schema. The one before it works on it; older ones may not.',
    },
    indexes_missing: {
      severity: 'warning',
      why: 'Statements read whole tables: they get slower with every user.',
    },
    clock_skew: {
      severity: 'warning',
      why: 'Codes of authenticator apps are refused, tokens end early or late, and limits of several processes differ.',
    },
    pool_small: {
      severity: 'warning',
      why: 'Mails and other work after a response use up to four connections, so that session checks wait for one.',
    },
    pool_exceeds_server: {
      severity: 'error',
      why: 'Under load, the server refuses connections of this and of every other client.',
    },
    tables_unpurged: {
      severity: 'warning',
      why: 'The tables grow forever, and keep addresses and devices of users for longer than they are needed.',
    },
    role_superuser: {
      severity: 'hint',
      why: 'An attacker who reaches its connection reads and changes every database of the server, its files and its roles.',
    },
    pooler_prepared: {
      severity: 'warning',
      why: 'Every statement of the hot path is prepared, lost and sent again, until svc-auth stops preparing them.',
    },
    pooler_listen: {
      severity: 'error',
      why: 'session.cache hears of no change by other processes, so it caches nothing.',
    },
  },
  checks: { 'the database': checkDatabase },
};

const timeoutMs = 5_000;
const skewMs = 5_000;
const smallestPool = 5;
const day = 24 * 60 * 60_000;
/** A week without the purge that should run daily. */
const unpurgedMs = 7 * day;

async function checkDatabase({ config, isProduction }: Examined): Promise<Found[]> {
  const { adapter } = config;
  const { inspection } = adapter;
  const skew = await measureSkew(adapter, config.clock).catch(() => null);
  if (skew === null)
    return [
      {
        id: 'storage_unreachable',
        title: 'The database does not answer.',
        fix: 'knexAdapter({ client, connection: process.env.DATABASE_URL }): the address of a database that runs',
      },
    ];
  const found: Found[] = Math.abs(skew) < skewMs ? [] : [skewFound(skew)];
  if (!inspection) return found;
  if (isProduction && inspection.isTemporary)
    found.push({
      id: 'storage_memory',
      title: 'The adapter keeps its data in memory, in production.',
      fix: "adapter: knexAdapter({ client: 'pg', connection: process.env.DATABASE_URL })",
    });
  if (isProduction) found.push(...(await checkRole(inspection)));
  const schema = await checkSchema(inspection);
  found.push(...schema);
  const hasTables = !schema.some(({ id }) => id === 'migrations_missing');
  if (hasTables) found.push(...(await checkRows(inspection, config.clock)));
  found.push(...(await checkConnections(inspection)));
  found.push(...(await checkPooler(inspection, config.session.cache)));
  return found;
}

/** How far the clock of the process is ahead of the database's, in milliseconds. 0 if the adapter has no clock. */
async function measureSkew(adapter: StorageAdapter, clock: () => number): Promise<number> {
  if (!adapter.currentTime) {
    await withTimeout(
      adapter.users.findById('00000000-0000-4000-8000-000000000000'),
      'The database',
      timeoutMs,
    );
    return 0;
  }
  const start = clock();
  const time = await withTimeout(adapter.currentTime(), 'The database', timeoutMs);
  return (start + clock()) / 2 - time;
}

function skewFound(skew: number): Found {
  const seconds = Math.round(Math.abs(skew) / 1000);
  return {
    id: 'clock_skew',
    title: `The clock of this process is ${seconds} seconds ${skew > 0 ? 'ahead of' : 'behind'} the database's.`,
    fix: 'Keep both servers on NTP, and do not set the option clock.',
  };
}

async function checkRole(inspection: StorageInspection): Promise<Found[]> {
  if (!(await withTimeout(inspection.isSuperuser?.() ?? false, 'The database', timeoutMs))) return [];
  return [
    {
      id: 'role_superuser',
      title: 'The role of DATABASE_URL is a superuser, in production.',
      fix: "create role auth login password '…'; // owns the tables, and is the user of DATABASE_URL: docs/database-roles.md",
    },
  ];
}

async function checkSchema(inspection: StorageInspection): Promise<Found[]> {
  const { missing, unknown } = await withTimeout(inspection.migrations(), 'The database', timeoutMs);
  if (missing.length > 0)
    return [
      {
        id: 'migrations_missing',
        title: `Migrations have not been applied: ${missing.join(', ')}.`,
        fix: 'await service.init()',
      },
    ];
  if (unknown.length > 0)
    return [
      {
        id: 'migrations_ahead',
        title: `The database has migrations that this release does not know: ${unknown.join(', ')}.`,
        fix: 'npm install svc-auth@latest',
      },
    ];
  const indexes = await withTimeout(inspection.missingIndexes(), 'The database', timeoutMs);
  if (indexes.length === 0) return [];
  return [
    {
      id: 'indexes_missing',
      title: `Indexes are missing or invalid: ${indexes.join(', ')}.`,
      fix: 'await service.init() creates those of PostgreSQL that were added later; create the others as the migrations do.',
    },
  ];
}

async function checkRows(inspection: StorageInspection, clock: () => number): Promise<Found[]> {
  const before = new Date(clock() - unpurgedMs);
  const tables = await withTimeout(inspection.unpurged(before), 'The database', timeoutMs);
  if (tables.length === 0) return [];
  return [
    {
      id: 'tables_unpurged',
      title: `Rows that expired more than a week ago are still in ${tables.join(', ')}.`,
      fix: 'setInterval(() => void service.purgeExpired(), 24 * 60 * 60_000)',
    },
  ];
}

async function checkConnections(inspection: StorageInspection): Promise<Found[]> {
  if (!inspection.connections) return [];
  const { pool, server } = await withTimeout(inspection.connections(), 'The database', timeoutMs);
  if (pool < smallestPool)
    return [
      {
        id: 'pool_small',
        title: `The pool has at most ${pool} ${pool === 1 ? 'connection' : 'connections'}.`,
        fix: 'knexAdapter({ …, pool: { max: 10 } })',
      },
    ];
  if (server !== null && pool > server)
    return [
      {
        id: 'pool_exceeds_server',
        title: `The pool may open ${pool} connections, but the server allows ${server}.`,
        fix: `knexAdapter({ …, pool: { max: ${Math.max(1, Math.floor(server / 4))} } })`,
      },
    ];
  return [];
}

async function checkPooler(
  inspection: StorageInspection,
  cache: { store?: unknown } | undefined,
): Promise<Found[]> {
  const behavior = await withTimeout(inspection.pooler?.() ?? null, 'The database', timeoutMs);
  const found: Found[] = [];
  if (behavior?.sharesConnections && behavior.keepsPreparedStatements === false)
    found.push({
      id: 'pooler_prepared',
      title: 'A pooler in transaction mode loses prepared statements.',
      fix: 'max_prepared_statements = 100 // pgbouncer.ini, PgBouncer 1.21 or later',
    });
  if (!cache || cache.store || !inspection.hearsNotifications) return found;
  const hears = inspection.hearsNotifications(timeoutMs / 2);
  const isHeard = (await settlesWithin(timeoutMs, hears).catch(() => false)) && (await hears);
  if (!isHeard)
    found.push({
      id: 'pooler_listen',
      title: 'Notifications of the database do not arrive.',
      fix: 'knexAdapter(…, { listenConnection: process.env.DIRECT_DATABASE_URL })',
    });
  return found;
}
