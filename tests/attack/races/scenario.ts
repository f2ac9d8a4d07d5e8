/**
 * A race as data, so that one list runs in one process on every storage, and over several processes: 50 concurrent calls for
 * something that only one may win, or that is counted.
 */
import type { EmailMessage, Service, ServiceUser, StorageAdapter } from 'svc-auth';
import type { MockIdentityProvider, Outbox, SmsOutbox, TestClock } from 'svc-auth/testing';
import { type ServiceCall } from '../../support/service-calls.js';
import type { LockedRows } from './row-hold.js';
import type { EveryProviderOptions } from '../../support/every-provider.js';
import { tallyOf } from '../../support/outcomes.js';

export const concurrentCalls = 50;

/** The environment in which a race is prepared and checked. */
export interface World {
  service: Service;
  adapter: StorageAdapter;
  clock: TestClock;
  mail: Outbox;
  texts: SmsOutbox;
  idp: MockIdentityProvider;
  /** Returns an unused email address. */
  person: () => string;
  /** Returns an unused phone number. */
  phone: () => string;
}

/** The result of the calls. */
export interface RaceResult {
  /** In the order of the calls: `ok`, `ok:<value>` or an error code. */
  outcomes: string[];
  tally: Record<string, number>;
  /** The values of the successful calls. */
  values: string[];
  mails: EmailMessage[];
  /** Names of emitted events. */
  events: string[];
}

export interface Scenario<Prepared = unknown> {
  /** The title of its test. */
  name: string;
  options?: EveryProviderOptions;
  /** Every error code with which a call may fail; any other fails the race. */
  refusals: readonly string[];
  prepare: (world: World) => Promise<Prepared>;
  call: (prepared: Prepared, index: number) => ServiceCall;
  /** With several processes: the rows to lock until the calls have arrived. */
  lockedRows?: (prepared: Prepared) => LockedRows;
  expect: (result: RaceResult, prepared: Prepared, world: World) => unknown;
}

/** Checks the types of one scenario together, and erases them for the list. */
export function scenario<Prepared>(definition: Scenario<Prepared>): Scenario {
  return definition as unknown as Scenario;
}

/** Runs one round: prepares the race, makes its calls concurrently by `make` and checks the result. */
export async function runRound(
  { refusals, prepare, call, lockedRows, expect: expectThis }: Scenario,
  world: World,
  make: (
    calls: ServiceCall[],
    lockedRows?: LockedRows,
  ) => Promise<Pick<RaceResult, 'outcomes' | 'mails' | 'events'>>,
): Promise<void> {
  const prepared = await prepare(world);
  const calls = Array.from({ length: concurrentCalls }, (_, index) => call(prepared, index));
  const result = await make(calls, lockedRows?.(prepared));
  expect(result.outcomes).toHaveLength(concurrentCalls);
  const succeeded = (outcome: string) => outcome === 'ok' || outcome.startsWith('ok:');
  expect(result.outcomes.filter((outcome) => !succeeded(outcome) && !refusals.includes(outcome))).toEqual([]);
  const values = result.outcomes.filter(succeeded).map((outcome) => outcome.slice('ok:'.length));
  await expectThis({ ...result, tally: tallyOf(result.outcomes), values }, prepared, world);
}

/** Returns how many calls succeeded. */
export const winners = ({ values }: RaceResult) => values.length;

/** The expected tally with one winner, if all others fail with `refusal`. */
export const oneWinner = (refusal: string) => ({ ok: 1, [refusal]: concurrentCalls - 1 });

export async function verifiedUser(world: World, email = world.person()): Promise<ServiceUser> {
  return (await world.service.emailCode.verify({ email, code: await codeFor(world, email) })).user;
}

/** Creates a guest and returns its id. */
export async function createGuest({ service }: World): Promise<string> {
  return (await service.sessionsProvider.createGuest()).user.id;
}

/** Signs up by password, with an unverified address. */
export async function signUp({ service, person }: World, password: string) {
  const email = person();
  return { email, userId: (await service.emailPassword.signup({ email, password })).user.id };
}

/** Creates a verified user with a pending change to another address, and returns both codes. */
export async function requestEmailChange(world: World, email = world.person()) {
  const user = await verifiedUser(world);
  await world.service.account.requestEmailChange({ userId: user.id, email });
  const currentCode = world.mail.lastCode(user.email!);
  return { userId: user.id, email, code: world.mail.lastCode(email), currentCode };
}

export async function codeFor({ service, mail }: World, email: string): Promise<string> {
  await service.emailCode.sendCode({ email });
  return mail.lastCode(email)!;
}

/** Returns the token of the newest link that was mailed to the address. */
export function mailedToken({ mail }: World, email: string): string {
  return new URL(mail.lastLink(email)!).searchParams.get('token')!;
}

/** Returns how many of these tokens belong to a valid session. */
export async function countValidSessions({ service }: World, tokens: readonly string[]): Promise<number> {
  const lookups = await Promise.allSettled(tokens.map((token) => service.getSessionUser(token)));
  return lookups.filter(({ status }) => status === 'fulfilled').length;
}
