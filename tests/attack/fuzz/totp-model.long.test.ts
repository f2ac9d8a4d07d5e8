// A second factor as a state machine (enrolled, confirmed, requested, replayed, replaced by recovery codes, limited), compared with
// a model.
import fc from 'fast-check';
import { describeAdapters } from '../../support/describe-adapters.js';
import { codeAt, wrongCodeAt } from '../../support/authenticator-app.js';
import { proFixtures, type ProService } from '../../support/make-pro-service.js';
import { outcomeOf, anyDelay, commandsOf, day, Window, type Step } from './model.js';
import { itHolds, storages } from './pass.js';

type Limits = [Window, Window];

interface Model {
  now: number;
  pending: boolean;
  /** The last accepted time step; null if no app is enrolled. */
  lastStep: number | null;
  recoveryCodes: Set<number>;
  guesses: Limits;
  confirmations: Limits;
}

interface Real {
  test: ProService;
  userId: string;
  pending: string;
  secret: string;
  recoveryCodes: string[];
}

const stepMs = 30_000;
const limits = (): Limits => [new Window(5, 15 * 60_000), new Window(50, day)];
const resetLimits = ({ guesses, confirmations }: Model) =>
  [...guesses, ...confirmations].forEach((each) => each.reset());

/** Returns the result of a guess, which is counted if it is wrong. */
function countGuess({ now }: Model, windows: Limits, isRight: () => boolean): 'right' | 'limited' | number {
  if (Window.consume(windows, now) > 0) return 'limited';
  if (!isRight()) return Math.min(...windows.map(({ left }) => left));
  windows.forEach((each) => each.refund());
  return 'right';
}

const begin: Step<Model, Real> = {
  name: 'begin an enrollment',
  predict: (model) => {
    model.pending = true;
    return 'ok';
  },
  execute: (real) =>
    outcomeOf(async () => {
      real.pending = (await real.test.service.totp.beginEnrollment(real.userId)).secret;
    }),
};

/** @param offset in time steps from now; null for a wrong code. */
const confirm = (offset: number | null): Step<Model, Real> => ({
  name: `confirm by ${offset === null ? 'a wrong code' : `the code of step ${offset}`}`,
  predict(model) {
    if (!model.pending) return 'code_not_found';
    const guess = countGuess(model, model.confirmations, () => offset !== null && Math.abs(offset) <= 1);
    if (guess === 'limited') return 'max_attempts_exceeded';
    if (guess !== 'right') return `code_invalid ${guess}`;
    const lastStep = Math.floor(model.now / stepMs) + offset!;
    Object.assign(model, { pending: false, lastStep, recoveryCodes: new Set(Array(10).keys()) });
    resetLimits(model);
    return 'ok';
  },
  execute: (real) =>
    outcomeOf(async () => {
      const { test, userId, pending } = real;
      const { recoveryCodes } = await test.service.totp.confirmEnrollment(
        userId,
        codeOf(test, pending, offset),
      );
      Object.assign(real, { secret: pending, recoveryCodes });
    }),
});

function codeOf({ clock }: ProService, secret: string, offset: number | null): string {
  if (secret === '') return '000000';
  return offset === null ? wrongCodeAt(secret, clock.now()) : codeAt(secret, clock.now() + offset * stepMs);
}

const verify = (offset: number | null): Step<Model, Real> => ({
  name: `verify ${offset === null ? 'a wrong code' : `the code of step ${offset}`}`,
  predict(model) {
    const { lastStep } = model;
    if (lastStep === null) return [false, 'ok'];
    const step = offset === null || Math.abs(offset) > 1 ? -1 : Math.floor(model.now / stepMs) + offset;
    const guess = countGuess(model, model.guesses, () => step > lastStep);
    if (guess === 'right') model.lastStep = step;
    return guess === 'limited' ? [undefined, 'max_attempts_exceeded'] : [guess === 'right', 'ok'];
  },
  execute: ({ test, userId, secret }) =>
    resultOf(() => test.service.totp.verify(userId, codeOf(test, secret, offset))),
});

const recover = (nth: number | null): Step<Model, Real> => ({
  name: `verify ${nth === null ? 'an unknown recovery code' : `the recovery code ${nth}`}`,
  predict(model) {
    if (model.lastStep === null) return [false, 'ok'];
    const guess = countGuess(model, model.guesses, () => nth !== null && model.recoveryCodes.delete(nth));
    return guess === 'limited' ? [undefined, 'max_attempts_exceeded'] : [guess === 'right', 'ok'];
  },
  execute: ({ test, userId, recoveryCodes }) => {
    const code = (nth === null ? undefined : recoveryCodes[nth]) ?? 'AAAAAA-AAAAAA-AAAAAA-AAAAAA';
    return resultOf(() =>
      test.service.totp.verifyRecoveryCode(userId, ` ${code.toLowerCase().replaceAll('-', ' ')}`),
    );
  },
});

async function resultOf(call: () => Promise<boolean>): Promise<unknown> {
  let isValid: boolean | undefined;
  const outcome = await outcomeOf(async () => (isValid = await call()));
  return [isValid, outcome];
}

const regenerate: Step<Model, Real> = {
  name: 'regenerate the recovery codes',
  predict(model) {
    if (model.lastStep === null) return 'code_not_found';
    model.recoveryCodes = new Set(Array(10).keys());
    return 'ok';
  },
  execute: (real) =>
    outcomeOf(async () => {
      real.recoveryCodes = await real.test.service.totp.regenerateRecoveryCodes(real.userId);
    }),
};

const disable: Step<Model, Real> = {
  name: 'disable',
  predict(model) {
    Object.assign(model, { pending: false, lastStep: null, recoveryCodes: new Set() });
    resetLimits(model);
    return 'ok';
  },
  execute: ({ test, userId }) => outcomeOf(() => test.service.totp.disable(userId)),
};

const readStatus: Step<Model, Real> = {
  name: 'read the status',
  predict: ({ lastStep, recoveryCodes }) => [lastStep !== null, recoveryCodes.size],
  execute: async ({ test, userId }) => [
    await test.service.totp.isEnabled(userId),
    await test.service.totp.countRecoveryCodes(userId),
  ],
};

const wait = (ms: number): Step<Model, Real> => ({
  name: `wait ${ms} ms`,
  predict: (model) => void (model.now += ms),
  execute: ({ test }) => test.clock.advance(ms),
});

const offset = fc.constantFrom(0, 0, 0, -1, 1, 2, null, null);
const steps = [
  fc.constantFrom(begin, begin, begin, regenerate, disable),
  offset.map(confirm),
  offset.map(verify),
  offset.map(verify),
  fc.option(fc.nat(9)).map(recover),
  fc.constant(readStatus),
  anyDelay(stepMs).map(wait),
];

describeAdapters(
  'Second factor',
  (on) => {
    const { makePro, verifiedUser } = proFixtures(on);

    itHolds(
      'behaves as the model of a second factor predicts at every step',
      () =>
        fc.asyncProperty(commandsOf(steps, 60), async (commands) => {
          const test = await makePro({
            encryptionKey: 'the key of these tests, 32 bytes or more',
            providers: { totp: true },
          });
          const { id: userId } = await verifiedUser(test);
          await fc.asyncModelRun(
            () => ({
              model: {
                ...{
                  now: test.clock.now(),
                  pending: false,
                  lastStep: null,
                  recoveryCodes: new Set<number>(),
                },
                ...{ guesses: limits(), confirmations: limits() },
              },
              real: { test, userId, pending: '', secret: '', recoveryCodes: [] as string[] },
            }),
            commands,
          );
        }),
      { runs: 80, weight: 2 },
    );
  },
  storages,
);
