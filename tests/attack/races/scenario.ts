/**
 * What a race is: data, so that one list runs in one process, on every storage, and over several. Fifty calls at once on
 * something that one may win, or that is counted.
 */
import type { EmailMessage, Service, ServiceUser, StorageAdapter } from 'svc-auth';
import type { MockIdentityProvider, Outbox, SmsOutbox, TestClock } from 'svc-auth/testing';
import { type Call } from '../../support/calls.js';
import type { Held } from './row-hold.js';
import type { EveryOptions } from '../../support/every-provider.js';
import { tallyOf } from '../../support/outcomes.js';

export const callsAtOnce = 50;

/** Where a race is prepared, and looked at afterwards. */
export interface World {
  service: Service;
  adapter: StorageAdapter;
  clock: TestClock;
  mail: Outbox;
  texts: SmsOutbox;
  idp: MockIdentityProvider;
  /** An address that nobody used before. */
  person: () => string;
  /** A number that nobody used before. */
  phone: () => string;
}

/** What became of the calls. */
export interface Seen {
  /** In the order of the calls: `ok`, `ok:<what was told>` or the code of an error. */
  outcomes: string[];
  tally: Record<string, number>;
  /** Of those that succeeded, what they told. */
  told: string[];
  mails: EmailMessage[];
  /** Names of events. */
  events: string[];
}

export interface Scenario<Prepared = unknown> {
  /** A sentence. */
  name: string;
  options?: EveryOptions;
  /** Every error that a call may end in; any other fails the race. */
  refusals: readonly string[];
  prepare: (world: World) => Promise<Prepared>;
  call: (prepared: Prepared, index: number) => Call;
  /** Over several processes: the rows that are held until the calls have arrived. */
  held?: (prepared: Prepared) => Held;
  expect: (seen: Seen, prepared: Prepared, world: World) => unknown;
}

/** Keeps the types of one scenario together, and forgets them in the list. */
export function scenario<Prepared>(made: Scenario<Prepared>): Scenario {
  return made as unknown as Scenario;
}

/** One round: the calls of a prepared race, made by `make` all at once, and what must hold of any race and of this one. */
export async function runRound(
  { refusals, prepare, call, held, expect: expectThis }: Scenario,
  world: World,
  make: (calls: Call[], held?: Held) => Promise<Pick<Seen, 'outcomes' | 'mails' | 'events'>>,
): Promise<void> {
  const prepared = await prepare(world);
  const calls = Array.from({ length: callsAtOnce }, (_, index) => call(prepared, index));
  const seen = await make(calls, held?.(prepared));
  expect(seen.outcomes).toHaveLength(callsAtOnce);
  const won = (outcome: string) => outcome === 'ok' || outcome.startsWith('ok:');
  expect(seen.outcomes.filter((outcome) => !won(outcome) && !refusals.includes(outcome))).toEqual([]);
  const told = seen.outcomes.filter(won).map((outcome) => outcome.slice('ok:'.length));
  await expectThis({ ...seen, tally: tallyOf(seen.outcomes), told }, prepared, world);
}

/** How many calls succeeded. */
export const winners = ({ told }: Seen) => told.length;

/** Outcomes with one winner, the others all refused so. */
export const oneWinner = (refusal: string) => ({ ok: 1, [refusal]: callsAtOnce - 1 });

export async function verifiedUser(world: World, email = world.person()): Promise<ServiceUser> {
  return (await world.service.emailCode.verify({ email, code: await codeFor(world, email) })).user;
}

/** The id of one. */
export async function guest({ service }: World): Promise<string> {
  return (await service.sessionsProvider.createGuest()).user.id;
}

/** By a password, with an address that is not proven. */
export async function signedUp({ service, person }: World, password: string) {
  const email = person();
  return { email, userId: (await service.emailPassword.signup({ email, password })).user.id };
}

/** A verified user who has asked for another address, and both codes. */
export async function moving(world: World, email = world.person()) {
  const user = await verifiedUser(world);
  await world.service.account.requestEmailChange({ userId: user.id, email });
  const currentCode = world.mail.lastCode(user.email!);
  return { userId: user.id, email, code: world.mail.lastCode(email), currentCode };
}

export async function codeFor({ service, mail }: World, email: string): Promise<string> {
  await service.emailCode.sendCode({ email });
  return mail.lastCode(email)!;
}

/** The token of the newest link that was mailed there. */
export function mailedToken({ mail }: World, email: string): string {
  return new URL(mail.lastLink(email)!).searchParams.get('token')!;
}

/** How many of these tokens are of a live session. */
export async function countLive({ service }: World, tokens: readonly string[]): Promise<number> {
  const looks = await Promise.allSettled(tokens.map((token) => service.getSessionUser(token)));
  return looks.filter(({ status }) => status === 'fulfilled').length;
}
