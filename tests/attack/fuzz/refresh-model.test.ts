// Refresh tokens as a state machine: issued, rotated, replayed within and after the grace, revoked, expired; against a model.
import fc from 'fast-check';
import type { TokenPair } from 'svc-auth';
import { describeAdapters } from '../../support/describe-adapters.js';
import { pro, type ProService } from '../../support/make-pro-service.js';
import { answerOf, anyDelay, commandsOf, day, type Step } from './model.js';
import { holds, storages } from './pass.js';

interface Family {
  counter: number;
  rotatedAt: number;
  endsAt: number;
  /** Of the newest access token, in seconds. */
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
  foretell(model) {
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
  take: ({ test, userId, pairs }) =>
    answerOf(async () => pairs.push([await test.service.refresh.issue({ userId })])),
};

/** @param age 0 is the newest token, 1 the one before. */
const refresh = (which: number, age: number): Step<Model, Real> => ({
  name: `refresh the family ${which} by its token ${age} behind`,
  foretell(model) {
    const family = model.families[which % model.families.length];
    if (!family) return null;
    const counter = Math.max(0, family.counter - age);
    const refused = ['refresh_token_invalid', []];
    if (!isLive(family, model.now)) return refused;
    family.accessEnds = accessEnds(model.now, family.endsAt);
    if (counter === family.counter) {
      Object.assign(family, { counter: counter + 1, rotatedAt: model.now });
      return ['another', []];
    }
    if (counter === family.counter - 1 && model.now - family.rotatedAt < graceMs) return ['the newest', []];
    family.live = false;
    return [...refused.slice(0, 1), ['refresh.reuse_detected']];
  },
  async take({ test, pairs }) {
    const known = pairs[which % pairs.length];
    if (!known) return null;
    const newest = known.at(-1)!.refreshToken;
    const { refreshToken } = known.at(Math.max(-known.length, -1 - age))!;
    let pair: TokenPair | undefined;
    const answer = await answerOf(async () => (pair = await test.service.refresh.refresh(refreshToken)));
    const heard = (await test.heardNames()).filter((name) => name === 'refresh.reuse_detected');
    if (!pair) return [answer, heard];
    const isNewest = pair.refreshToken === newest;
    // The pair of the grace has a new access token.
    if (isNewest) known[known.length - 1] = pair;
    else known.push(pair);
    return [isNewest ? 'the newest' : 'another', heard];
  },
});

const access = (which: number): Step<Model, Real> => ({
  name: `use the newest access token of the family ${which}`,
  foretell({ now, families }) {
    const family = families[which % families.length];
    if (!family) return null;
    return isLive(family, now) && Math.floor(now / 1000) < family.accessEnds ? 'ok' : 'token_invalid';
  },
  take: ({ test, pairs }) => {
    const pair = pairs[which % pairs.length]?.at(-1);
    return pair ? answerOf(() => test.service.getSessionUser(pair.accessToken)) : null;
  },
});

/** By whichever of its tokens; a family that has ended ends again. */
const revoke = (which: number, age: number): Step<Model, Real> => ({
  name: `revoke the family ${which}`,
  foretell({ families }) {
    const family = families[which % families.length];
    if (!family) return null;
    family.live = false;
    return 'ok';
  },
  async take({ test, pairs }) {
    const known = pairs[which % pairs.length];
    const token = known?.at(Math.max(-known.length, -1 - age))!.refreshToken;
    const answer = known ? await answerOf(() => test.service.refresh.revoke(token!)) : null;
    await test.heard();
    return answer;
  },
});

const endAll = (how: 'families' | 'sessions'): Step<Model, Real> => ({
  name: `revoke all ${how} of the user`,
  foretell({ families }) {
    for (const each of families) each.live = false;
    return 'ok';
  },
  async take({ test, userId }) {
    const { refresh: provider, sessionsProvider } = test.service;
    const answer = await answerOf(() =>
      how === 'families' ? provider.revokeAllForUser(userId) : sessionsProvider.revokeAll(userId),
    );
    await test.heard();
    return answer;
  },
});

const wait = (ms: number): Step<Model, Real> => ({
  name: `wait ${ms} ms`,
  foretell: (model) => void (model.now += ms),
  take: ({ test }) => test.clock.advance(ms),
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
  'A refresh family',
  (on) => {
    const { makePro, verifiedUser } = pro(on);

    holds(
      'does what the model says, step by step',
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
