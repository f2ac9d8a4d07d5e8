/** Sessions that four processes watch on one PostgreSQL, and a listener whose connection is interrupted. */
import type { SessionEndReason } from 'svc-auth';
import { signUp, startCached, until, type CachedService } from '../support/cached-sessions.js';
import { testSecret } from '../support/make-service.js';
import { startRelay } from '../support/postgres-relay.js';
import { createMigratedDatabase, querySql, type TestDatabase } from '../support/postgres.js';
import { startWatching } from '../support/watching-processes.js';

let database: TestDatabase;
const started: CachedService[] = [];
let people = 0;

const person = (service: CachedService) => signUp(service, `person-${(people += 1)}@example.com`);

/** Without `session.cache`, by the time of the machine, as the other processes have it. */
async function start(listenConnection?: string): Promise<CachedService> {
  const options = listenConnection === undefined ? {} : { listenConnection };
  const service = await startCached(database.url, { maxStaleMs: null, ...options });
  started.push(service);
  service.clock.advance(Date.now() - service.clock.now());
  return service;
}

async function watched({ service }: CachedService, token: string, pollMs = 60_000) {
  const reasons: SessionEndReason[] = [];
  await service.watch(token, (reason) => reasons.push(reason), { pollMs });
  return { reasons, ended: () => until('the end of a session', () => reasons.length > 0) };
}

beforeAll(async () => {
  database = await createMigratedDatabase();
});

afterEach(async () => {
  await Promise.all(started.splice(0).map((service) => service.stop()));
});

afterAll(() => database.drop());

it('a block, a sign-out and a lockdown in one process end the sessions in four others', async () => {
  const here = await start();
  const users = [await person(here), await person(here), await person(here), await person(here)];
  const tokens = users.map(({ token }) => token);
  const watching = await startWatching(4, { url: database.url, secret: testSecret, tokens });
  const [blocked, signedOut] = users;
  await here.service.users.block(blocked!.userId);
  await here.service.users.signOut(signedOut!.userId);
  const reasonsOf = async (index: number) => (await watching.ended(index)).map(({ reason }) => reason);
  expect(await reasonsOf(0)).toEqual(Array.from({ length: 4 }, () => 'user_blocked'));
  expect(await reasonsOf(1)).toEqual(Array.from({ length: 4 }, () => 'epoch_passed'));
  // Two processes start one at the same time.
  const there = await start();
  await Promise.all([here.service.lockdown({}), there.service.lockdown({})]);
  for (const index of [2, 3])
    expect(await reasonsOf(index)).toEqual(Array.from({ length: 4 }, () => 'epoch_passed'));
  await watching.stop();
});

it('sees what changed while the connection of the listener was interrupted', async () => {
  const relay = await startRelay(database.url);
  const [here, there] = [await start(), await start(relay.url)];
  const users = [await person(here), await person(here)];
  const [one, two] = [await watched(there, users[0]!.token), await watched(there, users[1]!.token)];
  await until('a listening connection', () => relay.connections() > 0);
  relay.silence();
  await here.service.users.signOut(users[0]!.userId);
  relay.recover();
  await one.ended();
  expect([one.reasons, two.reasons]).toEqual([['epoch_passed'], []]);
  await here.service.lockdown({ userId: users[1]!.userId });
  await two.ended();
  await relay.close();
});

it('polls while no notification arrives', async () => {
  const relay = await startRelay(database.url, () => true);
  const [here, there] = [await start(), await start(relay.url)];
  const { token, userId } = await person(here);
  const { ended, reasons } = await watched(there, token, 100);
  await here.service.users.signOut(userId);
  await ended();
  expect(reasons).toEqual(['epoch_passed']);
  await relay.close();
});

it('a session that a process with a clock ahead starts before a lockdown does not survive it', async () => {
  const [ahead, here] = [await start(), await start()];
  ahead.clock.advance(2_000);
  const { token } = await person(ahead);
  await here.service.lockdown({});
  expect((await ahead.check(token)).accepted).toBe(false);
  expect((await here.check(token)).accepted).toBe(false);
  const fresh = await person(here);
  expect((await ahead.check(fresh.token)).accepted).toBe(true);
});

it('the check of a session reads the lockdowns once, whatever the number of rows', async () => {
  const plan = await querySql(
    database.url,
    `explain select u.epoch + coalesce((select epochs from svc_lockdown), 0) from svc_users u`,
  );
  expect(JSON.stringify(plan)).toMatch(/InitPlan/);
});
