// The same races over four processes on one database, where no event loop serializes the calls.
import type { StorageAdapter } from 'svc-auth';
import {
  mockIdentityProvider,
  outbox,
  smsOutbox,
  testClock,
  type MockIdentityProvider,
} from 'svc-auth/testing';
import { createSharedDatabase, sharedStorages, type SharedDatabase } from '../../support/databases.js';
import { watchedService } from '../../support/leak-hooks.js';
import { testSecret } from '../../support/make-service.js';
import { openStorage } from '../../support/open-storage.js';
import { ServiceProcesses } from '../../support/service-processes.js';
import { orphans } from './orphans.js';
import { nextRound, timeoutMs, rounds } from './rounds.js';
import { whileLocked } from './row-hold.js';
import { runRound, type Scenario, type World } from './scenario.js';
import { scenarios } from './scenarios.js';
import { callbackUrl, clientOptions, encryptionKey, everyProvider } from '../../support/every-provider.js';
import { license } from '../../support/make-pro-service.js';
import { phoneSequence } from '../../support/site-actions.js';

let database: SharedDatabase;
let adapter: StorageAdapter;
let processes: ServiceProcesses;
let idp: MockIdentityProvider;
let people = 0;
const clock = testClock(nextRound(Date.now()));
const phone = phoneSequence();

/** The options that the service of this process shares with those of the other processes. */
function optionsFor({ options = {} }: Scenario) {
  return { ...options, idp: clientOptions(idp) };
}

async function worldFor(scenario: Scenario): Promise<World> {
  const [mail, sms, options] = [outbox(), smsOutbox(), optionsFor(scenario)];
  const { service } = watchedService({
    adapter: { ...adapter, close: async () => undefined },
    session: { secret: testSecret },
    clock: clock.now,
    ...license,
    encryptionKey,
    ...(options.rateLimit && { rateLimit: options.rateLimit }),
    ...(options.signUp && { signUp: options.signUp }),
    providers: everyProvider({ mail, sms }, options),
  });
  await service.init();
  const person = () => `person-${(people += 1)}@example.com`;
  return { service, adapter, clock, mail, texts: sms, idp, person, phone };
}

describe.each(sharedStorages(['PostgreSQL']))('50 concurrent calls over four processes on %s', (storage) => {
  beforeAll(async () => {
    [database, idp] = await Promise.all([
      createSharedDatabase(storage),
      mockIdentityProvider({ redirectUri: callbackUrl('/oauth/acme') }),
    ]);
    adapter = openStorage(database.url);
    await adapter.init();
    processes = await ServiceProcesses.start(4);
  });

  afterAll(async () => {
    await processes.stop();
    await adapter.close();
    await database.drop();
    await idp.close();
  });

  it.each(scenarios)(
    '$name',
    async (scenario) => {
      const world = await worldFor(scenario);
      for (let round = 0; round < rounds; round += 1) {
        clock.set(nextRound(clock.now()));
        await runRound(scenario, world, (calls, lockedRows) => {
          const order = {
            url: database.url,
            secret: testSecret,
            encryptionKey,
            ...license,
            now: clock.now(),
          };
          const run = () => processes.run({ ...order, options: optionsFor(scenario) }, calls);
          return lockedRows ? whileLocked(database.url, lockedRows, run) : run();
        });
        expect(await orphans(database.sql, storage)).toEqual([]);
      }
    },
    timeoutMs,
  );
});
