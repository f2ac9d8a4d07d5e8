/**
 * `npm run bench -- audit`: the throughput of sign-ins with a password (bcrypt) and without and with the audit log, in turns in one process,
 * then a million records that are stored, listed, sealed and verified. RECORDS and LOGINS change the numbers, DATABASES selects some of
 * PostgreSQL, MariaDB and SQLite.
 */
import { cpus } from 'node:os';
import { createKeyring } from '../src/crypto/keys.js';
import { uuidV7 } from '../src/crypto/random.js';
import { AuditRecords } from '../src/core/support/audit-records.js';
import { createService, type Service, type StorageAdapter } from '../src/index.js';
import { openStorage } from '../tests/support/open-storage.js';
import { databaseKinds, startDatabases, type DatabaseKind } from './database-servers.js';

const records = Number(process.env['RECORDS'] ?? 1_000_000);
const logins = Number(process.env['LOGINS'] ?? 300);
const rounds = 4;
const parallel = 8;
const selected = process.env['DATABASES']?.split(',') ?? databaseKinds;
const secret = 'a secret of the benchmark, 32 bytes or more';
const password = 'correct horse battery staple';
const silent = { debug() {}, info() {}, warn() {}, error() {} };

function serviceOn(adapter: StorageAdapter, audit: boolean): Service {
  return createService({
    ...{ adapter, audit, session: { secret }, logger: silent, rateLimit: { login: false, signUp: false } },
    providers: { emailPassword: { sender: { send: async () => undefined } } },
  });
}

async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1_000;
}

async function loginMany(service: Service): Promise<void> {
  let left = logins;
  const login = async () => {
    while ((left -= 1) >= 0)
      await service.emailPassword.login({ email: 'ada@example.com', password }, { startSession: true });
  };
  await Promise.all(Array.from({ length: parallel }, login));
}

/** Sign-ins in a second, without and with the audit log: the best of some turns of each. */
async function measureLogins(adapter: StorageAdapter): Promise<[plain: number, audited: number]> {
  const services = [serviceOn(adapter, false), serviceOn(adapter, true)] as const;
  await services[0].init();
  await services[0].emailPassword.signup({ email: 'ada@example.com', password });
  const best: [number, number] = [0, 0];
  for (let round = 0; round < rounds; round += 1)
    for (const at of [0, 1] as const)
      best[at] = Math.max(best[at], logins / (await secondsOf(() => loginMany(services[at]))));
  return best;
}

async function measureRecords(adapter: StorageAdapter): Promise<Record<string, number>> {
  const service = serviceOn(adapter, true);
  const signed = new AuditRecords(createKeyring(secret));
  const start = Date.now() - records;
  const users = Array.from({ length: 1_000 }, (_, n) => uuidV7(start + n));
  const insert = async () => {
    for (let count = 0; count < records; count += 200)
      await adapter.audit!.insert(
        Array.from({ length: Math.min(200, records - count) }, (_, n) => {
          const userId = users[(count + n) % users.length]!;
          const facts = {
            action: 'session.created',
            userId,
            actors: [{ type: 'user' as const, id: userId }],
          };
          const request = { actors: [], ip: '192.0.2.1', userAgent: 'Bench', requestId: String(count + n) };
          return signed.create(facts, start + count + n, request);
        }),
      );
  };
  const stored = await secondsOf(insert);
  const sealed = await secondsOf(() => service.audit.seal());
  const verified = await secondsOf(async () => {
    const { ok, records: checked } = await service.audit.verify();
    if (!ok || checked < records) throw new Error('The log does not verify.');
  });
  const firstPage = await secondsOf(() => service.audit.list());
  const ofUser = await secondsOf(() => service.audit.list({ userId: users[0]! }));
  const tailed = await secondsOf(async () => {
    let count = 0;
    for await (const _ of service.audit.tail({ follow: false })) count += 1;
    if (count < records) throw new Error('A record is missing.');
  });
  return {
    stored,
    sealed,
    verified,
    tailed,
    'first page (ms)': firstPage * 1_000,
    'page of a user (ms)': ofUser * 1_000,
  };
}

const kinds = databaseKinds.filter((kind: DatabaseKind) => selected.includes(kind));
console.log(`${cpus()[0]?.model ?? 'unknown'}, ${cpus().length} cores, Node.js ${process.version}`);
const servers = await startDatabases(kinds);
try {
  for (const kind of kinds) {
    const adapter = openStorage(await servers.create(kind, 'audit_log'));
    const [without, audited] = await measureLogins(adapter);
    const change = ((audited / without - 1) * 100).toFixed(1);
    console.log(
      `${kind}: ${without.toFixed(1)} sign-ins/s without, ${audited.toFixed(1)} with (${change} %)`,
    );
    const figures = await measureRecords(adapter);
    for (const [name, figure] of Object.entries(figures))
      console.log(`${kind}: ${records.toLocaleString('en')} records, ${name}: ${figure.toFixed(1)}`);
    await adapter.close();
  }
} finally {
  await servers.stop();
}
