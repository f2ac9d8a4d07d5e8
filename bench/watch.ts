/**
 * `npm run bench -- watch`: how long after a change sessions end in four processes on one PostgreSQL, one at a time and all at once.
 * Milliseconds between the resolution of the call and `onEnd`.
 */
import { createService } from 'svc-auth';
import { openStorage } from '../tests/support/open-storage.js';
import { startPostgres } from '../tests/support/postgres-server.js';
import { startWatching } from '../tests/support/watching-processes.js';

const secret = 'a secret of the benchmark, 32 bytes or more';
const processes = 4;
const single = 200;
const sockets = Number(process.argv[2] ?? 1_000);

const ignore = () => undefined;
const database = await startPostgres();
const service = createService({
  adapter: openStorage(database.url),
  session: { secret },
  logger: { debug: ignore, info: ignore, warn: ignore, error: ignore },
  providers: { emailPassword: { sender: { send: async () => undefined }, hasher: cheapHasher() } },
});
await service.init();

const people = [];
for (let at = 0; at < sockets; at += 1) {
  const input = { email: `person-${at}@example.com`, password: 'correct horse battery' };
  const { user, session } = await service.emailPassword.signup(input, { startSession: true });
  people.push({ id: user.id, token: session!.token });
}
const tokens = people.map(({ token }) => token);
const watching = await startWatching(processes, { url: database.url, secret, tokens });

const latencies: number[] = [];
for (const [index, { id }] of people.slice(0, single).entries()) {
  await service.users.block(id);
  const committed = process.hrtime.bigint();
  for (const { atNs } of await watching.ended(index)) latencies.push(Number(atNs - committed) / 1e6);
}
report(`${single} blocks, one at a time`, latencies);

await service.lockdown({});
const committed = process.hrtime.bigint();
const rest = people.slice(single).map((_, at) => watching.ended(single + at));
const all = (await Promise.all(rest)).flat().map(({ atNs }) => Number(atNs - committed) / 1e6);
report(`a lockdown of all users, ${sockets - single} sockets in each of ${processes} processes`, all);

await watching.stop();
await service.close();
await database.stop();
process.exit();

function report(title: string, values: number[]): void {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number) => (sorted[Math.ceil(sorted.length * share) - 1] ?? 0).toFixed(1);
  console.log(`${title}: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, slowest ${at(1)} ms`);
}

function cheapHasher() {
  return { hash: async (password: string) => `cheap$${password}`, verify: async () => true };
}
