// Refresh tokens as a state machine (issued, rotated, replayed within and after the grace period, revoked, expired), compared with
// a model.
import fc from 'fast-check';
import type { TokenPair } from 'svc-auth';
import { describeAdapters } from '../../support/describe-adapters.js';
import { proFixtures, type ProService } from '../../support/make-pro-service.js';
import { outcomeOf, anyDelay, commandsOf, day, type Step } from './model.js';
import { itHolds, storages } from './pass.js';

interface Family {
  counter: number;
  rotatedAt: number;
  endsAt: number;
  /** Expiry of the newest access token, in seconds. */
  accessEnds: number;
  live: boolean;
}

interface Model {
  now: number;
  families: Family[];
}

interface Real {
  test: ProService;
  userId: string;
  /** Every pair of every family, oldest first. */
  pairs: TokenPair[][];
}

const graceMs = 10_000;
const accessMs = 15 * 60_000;
const ttlMs = 30 * day;

const isLive = (family: Family, now: number) => family.live && now < family.endsAt;
const accessEnds = (now: number, endsAt: number) =>
  Math.floor(now / 1000) + Math.ceil((Math.min(now + accessMs, endsAt) - now) / 1000);

const issue: Step<Model, Real> = {
  name: 'issue',
  predict(model) {
    const { now } = model;
    const endsAt = now + ttlMs;
    model.families.push({
      counter: 0,
      rotatedAt: now,
      endsAt,
      accessEnds: accessEnds(now, endsAt),
      live: true,
    });
    return 'ok';
  },
  execute: ({ test, userId, pairs }) =>
    outcomeOf(async () => pairs.push([await test.service.refresh.issue({ userId })])),
};

/** @param age 0 is the newest token, 1 the previous one. */
const refresh = (which: number, age: number): Step<Model, Real> => ({
  name: `refresh the family ${which} with its token ${age} before the newest`,
  predict(model) {
    const family = model.families[which % model.families.length];
    if (!family) return null;
    const counter = Math.max(0, family.counter - age);
    const rejected = ['refresh_token_invalid', []];
    if (!isLive(family, model.now)) return rejected;
    family.accessEnds = accessEnds(model.now, family.endsAt);
    if (counter === family.counter) {
      Object.assign(family, { counter: counter + 1, rotatedAt: model.now });
      return ['another', []];
    }
    if (counter === family.counter - 1 && model.now - family.rotatedAt < graceMs) return ['the newest', []];
    family.live = false;
    return [...rejected.slice(0, 1), ['refresh.reuse_detected']];
  },
  async execute({ test, pairs }) {
    const family = pairs[which % pairs.length];
    if (!family) return null;
    const newest = family.at(-1)!.refreshToken;
    const { refreshToken } = family.at(Math.max(-family.length, -1 - age))!;
    let pair: TokenPair | undefined;
    const outcome = await outcomeOf(async () => (pair = await test.service.refresh.refresh(refreshToken)));
    const events = (await test.takeEventNames()).filter((name) => name === 'refresh.reuse_detected');
    if (!pair) return [outcome, events];
    const isNewest = pair.refreshToken === newest;
    // The pair of the grace period has a new access token.
    if (isNewest) family[family.length - 1] = pair;
    else family.push(pair);
    return [isNewest ? 'the newest' : 'another', events];
  },
});

const access = (which: number): Step<Model, Real> => ({
  name: `use the newest access token of the family ${which}`,
  predict({ now, families }) {
    const family = families[which % families.length];
    if (!family) return null;
    return isLive(family, now) && Math.floor(now / 1000) < family.accessEnds ? 'ok' : 'token_invalid';
  },
  execute: ({ test, pairs }) => {
    const pair = pairs[which % pairs.length]?.at(-1);
    return pair ? outcomeOf(() => test.service.getSessionUser(pair.accessToken)) : null;
  },
});

/** Revokes a family by any of its tokens; a revoked family can be revoked again. */
const revoke = (which: number, age: number): Step<Model, Real> => ({
  name: `revoke the family ${which}`,
  predict({ families }) {
    const family = families[which % families.length];
    if (!family) return null;
    family.live = false;
    return 'ok';
  },
  async execute({ test, pairs }) {
    const family = pairs[which % pairs.length];
    const token = family?.at(Math.max(-family.length, -1 - age))!.refreshToken;
    const outcome = family ? await outcomeOf(() => test.service.refresh.revoke(token!)) : null;
    await test.takeEvents();
    return outcome;
  },
});

const endAll = (how: 'families' | 'sessions'): Step<Model, Real> => ({
  name: `revoke all ${how} of the user`,
  predict({ families }) {
    for (const each of families) each.live = false;
    return 'ok';
  },
  async execute({ test, userId }) {
    const { refresh: provider, sessionsProvider } = test.service;
    const outcome = await outcomeOf(() =>
      how === 'families' ? provider.revokeAllForUser(userId) : sessionsProvider.revokeAll(userId),
    );
    await test.takeEvents();
    return outcome;
  },
});

const wait = (ms: number): Step<Model, Real> => ({
  name: `wait ${ms} ms`,
  predict: (model) => void (model.now += ms),
  execute: ({ test }) => test.clock.advance(ms),
});

const which = fc.nat(3);
const age = fc.oneof(
  { weight: 3, arbitrary: fc.constant(0) },
  { weight: 2, arbitrary: fc.constant(1) },
  fc.nat(4),
);
const steps = [
  fc.constant(issue),
  fc.tuple(which, age).map((drawn) => refresh(...drawn)),
  fc.tuple(which, age).map((drawn) => refresh(...drawn)),
  fc.tuple(which, age).map((drawn) => refresh(...drawn)),
  which.map(access),
  fc.oneof(anyDelay(graceMs, accessMs, ttlMs), fc.constant(graceMs - 1)).map(wait),
  fc.oneof(
    { weight: 4, arbitrary: fc.tuple(which, age).map((drawn) => revoke(...drawn)) },
    fc.constantFrom(endAll('families'), endAll('sessions')),
  ),
];

describeAdapters(
  'Refresh family',
  (on) => {
    const { makePro, verifiedUser } = proFixtures(on);

    itHolds(
      'behaves as the model of a refresh family predicts at every step',
      () =>
        fc.asyncProperty(commandsOf(steps), async (commands) => {
          const test = await makePro();
          const { id: userId } = await verifiedUser(test);
          const model: Model = { now: test.clock.now(), families: [] };
          await fc.asyncModelRun(
            () => ({ model, real: { test, userId, pairs: [] as TokenPair[][] } }),
            commands,
          );
        }),
      { runs: 100, weight: 2 },
    );
  },
  storages,
);
