// Every single-use secret, counter and unique name under fifty calls at once in one process (A-20, A-22, A-26, A-39, A-95 and others).
import { mockIdentityProvider, smsOutbox, type MockIdentityProvider } from 'svc-auth/testing';
import { perform } from '../../support/calls.js';
import { describeAdapters } from '../../support/describe-adapters.js';
import { outbox, testClock } from 'svc-auth/testing';
import { orphans } from './orphans.js';
import { nextRound, patienceMs, rounds } from './rounds.js';
import { runRound, type Scenario, type World } from './scenario.js';
import { scenarios } from './scenarios.js';
import { callbackOf, clientOf, encryptionKey, everyProvider } from '../../support/every-provider.js';
import { license } from '../../support/make-pro-service.js';
import { phoneNumbers } from '../../support/people.js';

let idp: MockIdentityProvider;

beforeAll(async () => {
  idp = await mockIdentityProvider({ redirectUri: callbackOf('/oauth/acme') });
});
afterAll(() => idp.close());

describeAdapters('Fifty calls at once', ({ make, person, adapter, sql }) => {
  const clock = testClock(nextRound(Date.now()));
  const phone = phoneNumbers();

  async function worldFor({ options = {} }: Scenario): Promise<World & { events: string[] }> {
    const [mail, texts, events] = [outbox(), smsOutbox(), [] as string[]];
    const providers = everyProvider({ mail, texts }, { ...options, idp: clientOf(idp) });
    const { rateLimit } = options;
    const { service } = await make({ clock, ...license, encryptionKey, rateLimit, providers });
    service.on('*', (name) => void events.push(name));
    return { service, adapter: adapter(), clock, mail, texts, idp, person, phone, events };
  }

  it.each(scenarios)(
    '$name',
    async (scenario) => {
      const world = await worldFor(scenario);
      const { service, mail, events } = world;
      for (let round = 0; round < rounds; round += 1) {
        clock.set(nextRound(clock.now()));
        await runRound(scenario, world, async (calls) => {
          await service.close();
          mail.clear();
          events.length = 0;
          const outcomes = await Promise.all(calls.map((call) => perform(service, call)));
          await service.close();
          await new Promise((resolve) => setImmediate(resolve));
          return { outcomes, mails: mail.messages.slice(), events: events.slice() };
        });
        if (sql) expect(await orphans(sql)).toEqual([]);
      }
    },
    patienceMs,
  );
});
