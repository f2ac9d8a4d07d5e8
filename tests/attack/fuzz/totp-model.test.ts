// A second factor as a state machine: begun, confirmed, asked for, replayed, given away by recovery codes, limited; against a model.
import fc from 'fast-check';
import { describeAdapters } from '../../support/describe-adapters.js';
import { codeAt, wrongCodeAt } from '../../support/authenticator-app.js';
import { pro, type ProService } from '../../support/make-pro-service.js';
import { answerOf, anyDelay, commandsOf, day, Window, type Step } from './model.js';
import { holds, storages } from './pass.js';

type Budgets = [Window, Window];

interface Model {
  now: number;
  pending: boolean;
  /** The last step that was accepted; null where nothing is enrolled. */
  lastStep: number | null;
  recoveryCodes: Set<number>;
  guesses: Budgets;
  confirmations: Budgets;
}

interface Real {
  test: ProService;
  userId: string;
  pending: string;
  secret: string;
  recoveryCodes: string[];
}

const stepMs = 30_000;
const budgets = (): Budgets => [new Window(5, 15 * 60_000), new Window(50, day)];
const forget = ({ guesses, confirmations }: Model) =>
  [...guesses, ...confirmations].forEach((each) => each.forget());

/** What becomes of a guess, which is counted if it is wrong. */
function charged({ now }: Model, windows: Budgets, isRight: () => boolean): 'right' | 'limited' | number {
  if (Window.charge(windows, now) > 0) return 'limited';
  if (!isRight()) return Math.min(...windows.map(({ left }) => left));
  windows.forEach((each) => each.refund());
  return 'right';
}

const begin: Step<Model, Real> = {
  name: 'begin an enrolment',
  foretell: (model) => {
    model.pending = true;
    return 'ok';
  },
  take: (real) =>
    answerOf(async () => {
      real.pending = (await real.test.service.totp.beginEnrollment(real.userId)).secret;
    }),
};

/** @param offset in steps from now; null is a wrong code. */
const confirm = (offset: number | null): Step<Model, Real> => ({
  name: `confirm by ${offset === null ? 'a wrong code' : `the code of step ${offset}`}`,
  foretell(model) {
    if (!model.pending) return 'code_not_found';
    const guess = charged(model, model.confirmations, () => offset !== null && Math.abs(offset) <= 1);
    if (guess === 'limited') return 'max_attempts_exceeded';
    if (guess !== 'right') return `code_invalid ${guess}`;
    const lastStep = Math.floor(model.now / stepMs) + offset!;
    Object.assign(model, { pending: false, lastStep, recoveryCodes: new Set(Array(10).keys()) });
    forget(model);
    return 'ok';
  },
  take: (real) =>
    answerOf(async () => {
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
  foretell(model) {
    const { lastStep } = model;
    if (lastStep === null) return [false, 'ok'];
    const step = offset === null || Math.abs(offset) > 1 ? -1 : Math.floor(model.now / stepMs) + offset;
    const guess = charged(model, model.guesses, () => step > lastStep);
    if (guess === 'right') model.lastStep = step;
    return guess === 'limited' ? [undefined, 'max_attempts_exceeded'] : [guess === 'right', 'ok'];
  },
  take: ({ test, userId, secret }) =>
    told(() => test.service.totp.verify(userId, codeOf(test, secret, offset))),
});

const recover = (nth: number | null): Step<Model, Real> => ({
  name: `verify ${nth === null ? 'no recovery code' : `the recovery code ${nth}`}`,
  foretell(model) {
    if (model.lastStep === null) return [false, 'ok'];
    const guess = charged(model, model.guesses, () => nth !== null && model.recoveryCodes.delete(nth));
    return guess === 'limited' ? [undefined, 'max_attempts_exceeded'] : [guess === 'right', 'ok'];
  },
  take: ({ test, userId, recoveryCodes }) => {
    const code = (nth === null ? undefined : recoveryCodes[nth]) ?? 'AAAAAA-AAAAAA-AAAAAA-AAAAAA';
    return told(() =>
      test.service.totp.verifyRecoveryCode(userId, ` ${code.toLowerCase().replaceAll('-', ' ')}`),
    );
  },
});

async function told(ask: () => Promise<boolean>): Promise<unknown> {
  let word: boolean | undefined;
  const answer = await answerOf(async () => (word = await ask()));
  return [word, answer];
}

const regenerate: Step<Model, Real> = {
  name: 'ask for other recovery codes',
  foretell(model) {
    if (model.lastStep === null) return 'code_not_found';
    model.recoveryCodes = new Set(Array(10).keys());
    return 'ok';
  },
  take: (real) =>
    answerOf(async () => {
      real.recoveryCodes = await real.test.service.totp.regenerateRecoveryCodes(real.userId);
    }),
};

const disable: Step<Model, Real> = {
  name: 'disable',
  foretell(model) {
    Object.assign(model, { pending: false, lastStep: null, recoveryCodes: new Set() });
    forget(model);
    return 'ok';
  },
  take: ({ test, userId }) => answerOf(() => test.service.totp.disable(userId)),
};

const look: Step<Model, Real> = {
  name: 'look',
  foretell: ({ lastStep, recoveryCodes }) => [lastStep !== null, recoveryCodes.size],
  take: async ({ test, userId }) => [
    await test.service.totp.isEnabled(userId),
    await test.service.totp.countRecoveryCodes(userId),
  ],
};

const wait = (ms: number): Step<Model, Real> => ({
  name: `wait ${ms} ms`,
  foretell: (model) => void (model.now += ms),
  take: ({ test }) => test.clock.advance(ms),
});

const offset = fc.constantFrom(0, 0, 0, -1, 1, 2, null, null);
const steps = [
  fc.constantFrom(begin, begin, begin, regenerate, disable),
  offset.map(confirm),
  offset.map(verify),
  offset.map(verify),
  fc.option(fc.nat(9)).map(recover),
  fc.constant(look),
  anyDelay(stepMs).map(wait),
];

describeAdapters(
  'A second factor',
  (on) => {
    const { makePro, verifiedUser } = pro(on);

    holds(
      'does what the model says, step by step',
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
                ...{ guesses: budgets(), confirmations: budgets() },
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
