/**
 * How the tests of the Pro tier get a service: licensed, with sessions, refresh, API keys, organizations and accounts,
 * a record of every event, and a clock at a whole second, so that a token and its row expire at the same millisecond.
 */
import type { ServiceEventName, ServiceUser } from 'svc-auth';
import { testClock, testLicense } from 'svc-auth/testing';
import type { StorageContext } from './describe-adapters.js';
import type { Overrides, TestService } from './make-service.js';

export const minute = 60_000;
export const day = 24 * 60 * minute;

/** A well-formed id of no record. */
export const unknownId = '0190f6a0-0000-7000-8000-000000000001';

/** Values that are not the id of any record, or not even strings. */
export const invalidIds: unknown[] = [
  unknownId,
  unknownId.toUpperCase(),
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
  [unknownId],
  new Date(0),
];

// One key pair for the whole file. The license expires after any time that a test clock reaches.
export const license = testLicense({ expiresAt: new Date('2199-12-31') });

export const proProviders = {
  sessions: true,
  refresh: true,
  apiKeys: { scopes: ['read', 'write'] },
  orgs: true,
  account: true,
} as const;

export interface RecordedEvent {
  name: ServiceEventName;
  payload: Record<string, unknown>;
}

export interface ProService extends TestService {
  /** Waits for background work and returns the events since the last call, without those of failures. */
  takeEvents(): Promise<RecordedEvent[]>;
  /** As `takeEvents`, the events of failures only. */
  takeFailures(): Promise<RecordedEvent[]>;
  /** As `takeEvents`, but returns their names. */
  takeEventNames(): Promise<string[]>;
}

export function proFixtures({ make, uniqueEmail }: Pick<StorageContext, 'make' | 'uniqueEmail'>) {
  async function makePro(overrides: Overrides = {}): Promise<ProService> {
    const test = await make({
      clock: testClock(Math.ceil(Date.now() / 1000) * 1000),
      ...license,
      ...overrides,
      providers: { ...proProviders, ...overrides.providers },
    });
    const events: RecordedEvent[] = [];
    const failures: RecordedEvent[] = [];
    if (test.service.licensed) {
      test.service.on('*', (name, payload) =>
        (isFailure(name) ? failures : events).push({ name, payload: { ...payload } }),
      );
    }
    const takeEvents = async () => {
      await settleService(test);
      return events.splice(0);
    };
    const takeFailures = async () => {
      await settleService(test);
      return failures.splice(0);
    };
    return {
      ...test,
      takeEvents,
      takeFailures,
      takeEventNames: async () => (await takeEvents()).map(({ name }) => name),
    };
  }

  /** Creates a user with a verified address. */
  async function verifiedUser({ service, mail }: TestService, email = uniqueEmail()): Promise<ServiceUser> {
    await service.emailCode.sendCode({ email });
    return (await service.emailCode.verify({ email, code: mail.lastCode(email)! })).user;
  }

  /** Creates a user with a password and an unverified address. */
  async function unverifiedUser({ service }: TestService, email = uniqueEmail()): Promise<ServiceUser> {
    return (await service.emailPassword.signup({ email, password: 'correct horse battery' })).user;
  }

  /** Creates a user who has only an identity: not a guest, and without an address. */
  async function userWithoutAddress({ service: { sessionsProvider } }: ProService): Promise<ServiceUser> {
    const { id: userId } = (await sessionsProvider.createGuest()).user;
    const { user } = await sessionsProvider.upgrade({ userId, provider: 'idp', providerAccountId: userId });
    return user;
  }

  return { makePro, verifiedUser, unverifiedUser, userWithoutAddress };
}

const failureNames = ['sign_in.failed', 'code.failed', 'limit.exceeded', 'session.refused'];

/** Whether an event reports a failure, and not a change. */
export const isFailure = (name: string) => failureNames.includes(name);

/** Waits for background work and for event handlers. */
export async function settleService({ service }: TestService): Promise<void> {
  // The storage of the tests remains open.
  await service.close();
  await new Promise((resolve) => setImmediate(resolve));
}
