/**
 * How the tests of the Pro tier get a service: licensed, with the providers of its first half, a clock at a whole second
 * (then a token ends with its row to the millisecond), and a record of every event.
 */
import type { ServiceEventName, ServiceUser } from 'svc-auth';
import { testClock, testLicense } from 'svc-auth/testing';
import type { OnAdapter } from './describe-adapters.js';
import type { Overrides, TestService } from './make-service.js';

export const minute = 60_000;
export const day = 24 * 60 * minute;

/** A well-formed id that names nobody and nothing. */
export const nobody = '0190f6a0-0000-7000-8000-000000000001';

/** What is no id of anything, or not even a text. */
export const oddIds: unknown[] = [
  nobody,
  nobody.toUpperCase(),
  '',
  'x',
  "' or 1=1 --",
  'nul\0',
  '\ud800',
  'x'.repeat(100_000),
  '__proto__',
  42,
  true,
  null,
  undefined,
  {},
  [nobody],
  new Date(0),
];

// One pair of keys for the whole file; the licence outlives every clock of the tests.
export const license = testLicense({ expiresAt: new Date('2199-12-31') });

export const proProviders = {
  sessions: true,
  refresh: true,
  apiKeys: { scopes: ['read', 'write'] },
  orgs: true,
  account: true,
} as const;

export interface Heard {
  name: ServiceEventName;
  payload: Record<string, unknown>;
}

export interface ProService extends TestService {
  /** Every event since the last look, when all that is under way is through. */
  heard(): Promise<Heard[]>;
  /** The names of them. */
  heardNames(): Promise<string[]>;
}

export function pro({ make, person }: Pick<OnAdapter, 'make' | 'person'>) {
  async function makePro(overrides: Overrides = {}): Promise<ProService> {
    const test = await make({
      clock: testClock(Math.ceil(Date.now() / 1000) * 1000),
      ...license,
      ...overrides,
      providers: { ...proProviders, ...overrides.providers },
    });
    const events: Heard[] = [];
    if (test.service.licensed) {
      test.service.on('*', (name, payload) => events.push({ name, payload: { ...payload } }));
    }
    const heard = async () => {
      await settled(test);
      return events.splice(0);
    };
    return { ...test, heard, heardNames: async () => (await heard()).map(({ name }) => name) };
  }

  /** A user with a verified address. */
  async function verifiedUser({ service, mail }: TestService, email = person()): Promise<ServiceUser> {
    await service.emailCode.sendCode({ email });
    return (await service.emailCode.verify({ email, code: mail.lastCode(email)! })).user;
  }

  /** A user who chose a password and has not proven the address. */
  async function unverifiedUser({ service }: TestService, email = person()): Promise<ServiceUser> {
    return (await service.emailPassword.signup({ email, password: 'correct horse battery' })).user;
  }

  /** A user by an identity alone: no guest, and no address. */
  async function userWithoutAddress({ service: { sessionsProvider } }: ProService): Promise<ServiceUser> {
    const { id: userId } = (await sessionsProvider.createGuest()).user;
    const { user } = await sessionsProvider.upgrade({ userId, provider: 'idp', providerAccountId: userId });
    return user;
  }

  return { makePro, verifiedUser, unverifiedUser, userWithoutAddress };
}

/** Waits for work in the background, and for the handlers of events. */
export async function settled({ service }: TestService): Promise<void> {
  // The storage of the tests stays open.
  await service.close();
  await new Promise((resolve) => setImmediate(resolve));
}
