// Every single-use secret, counter and unique name under 50 concurrent calls in one process.
import { mockIdentityProvider, smsOutbox, type MockIdentityProvider } from 'svc-auth/testing';
import { performCall } from '../../support/service-calls.js';
import { describeAdapters } from '../../support/describe-adapters.js';
import { outbox, testClock } from 'svc-auth/testing';
import { orphans } from './orphans.js';
import { nextRound, timeoutMs, rounds } from './rounds.js';
import { runRound, type Scenario, type World } from './scenario.js';
import { scenarios } from './scenarios.js';
import { callbackUrl, clientOptions, encryptionKey, everyProvider } from '../../support/every-provider.js';
import { license } from '../../support/make-pro-service.js';
import { phoneSequence } from '../../support/site-actions.js';

let idp: MockIdentityProvider;

beforeAll(async () => {
  idp = await mockIdentityProvider({ redirectUri: callbackUrl('/oauth/acme') });
});
afterAll(() => idp.close());

describeAdapters('50 concurrent calls in one process', ({ make, uniqueEmail, adapter, sql }) => {
  const clock = testClock(nextRound(Date.now()));
  const phone = phoneSequence();

  async function worldFor({ options = {} }: Scenario): Promise<World & { events: string[] }> {
    const [mail, sms, events] = [outbox(), smsOutbox(), [] as string[]];
    const providers = everyProvider({ mail, sms }, { ...options, idp: clientOptions(idp) });
    const { rateLimit, signUp } = options;
    const { service } = await make({ clock, ...license, encryptionKey, rateLimit, signUp, providers });
    service.on('*', (name) => void events.push(name));
    return { service, adapter: adapter(), clock, mail, texts: sms, idp, person: uniqueEmail, phone, events };
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
          const outcomes = await Promise.all(calls.map((call) => performCall(service, call)));
          await service.close();
          await new Promise((resolve) => setImmediate(resolve));
          return { outcomes, mails: mail.messages.slice(), events: events.slice() };
        });
        if (sql) expect(await orphans(sql, 'PostgreSQL')).toEqual([]);
      }
    },
    timeoutMs,
  );
});
