// A mailed code as a state machine (sent, guessed, used, expired, limited), compared with a small model.
import fc from 'fast-check';
import { testClock, type TestClock } from 'svc-auth/testing';
import { describeAdapters } from '../../support/describe-adapters.js';
import { outcomeOf, anyDelay, commandsOf, day, GrowingWait, series, Window, type Step } from './model.js';
import { itHolds, storages } from './pass.js';

type Guess = 'right' | 'right, with spaces' | 'wrong' | 'of the code before' | 'no digits';

interface Model {
  now: number;
  code: { attempts: number; expiresAt: number; used: boolean } | null;
  sent: number;
  sends: Window;
  /** Mails to the mailbox within a day, with a growing wait beyond twenty. */
  day: GrowingWait;
  guesses: Window[];
}

interface Real {
  clock: TestClock;
  send: (fails: boolean) => Promise<unknown>;
  guess: (guess: Guess) => Promise<unknown>;
}

const ttlMs = 10 * 60_000;
const newModel = (now: number): Model => ({
  now,
  code: null,
  sent: 0,
  sends: new Window(5, 15 * 60_000),
  day: new GrowingWait(20, 60_000, 2 * 60 * 60_000, day),
  guesses: [new Window(10, 15 * 60_000), new Window(50, day)],
});

const send = (fails: boolean): Step<Model, Real> => ({
  name: fails ? 'send, and the mail server refuses' : 'send',
  // After the guesses of a day, codes have letters: tests/providers/long-codes.test.ts.
  applies: ({ guesses, now }) => guesses[1]!.waitOfNext(now) === 0,
  execute: (real) => real.send(fails),
  predict(model) {
    const wait = Math.max(model.sends.waitOfNext(model.now), model.day.waitFrom(model.now));
    if (wait > 0) return `rate_limit_exceeded ${wait}`;
    model.sends.hit(model.now);
    model.day.hit(model.now);
    // The previous code is invalid even if this send fails.
    model.code = fails ? null : { attempts: 0, expiresAt: model.now + ttlMs, used: false };
    if (fails) [model.sends, model.day].forEach((limit) => limit.refund());
    else model.sent += 1;
    return fails ? 'email_send_failed' : 'ok';
  },
});

const guess = (kind: Guess): Step<Model, Real> => ({
  name: `guess ${kind}`,
  execute: (real) => real.guess(kind),
  predict(model) {
    const wait = Window.consume(model.guesses, model.now);
    if (wait > 0) return `rate_limit_exceeded ${wait}`;
    const outcome = evaluate(model, kind.startsWith('right'));
    // Only wrong guesses count, and the right one resets the limits.
    if (!outcome.startsWith('code_invalid')) model.guesses.forEach((each) => each.refund());
    if (outcome === 'ok') [...model.guesses, model.sends, model.day].forEach((each) => each.reset());
    return outcome;
  },
});

function evaluate({ code, now }: Model, isRight: boolean): string {
  if (!code || code.used) return 'code_not_found';
  if (now >= code.expiresAt) return 'code_expired';
  if (code.attempts === 5) return 'max_attempts_exceeded';
  code.attempts += 1;
  if (!isRight) return `code_invalid ${5 - code.attempts}`;
  code.used = true;
  return 'ok';
}

const wait = (ms: number): Step<Model, Real> => ({
  name: `wait ${ms} ms`,
  execute: ({ clock }) => clock.advance(ms),
  predict: (model) => void (model.now += ms),
});

const guesses: Guess[] = ['right', 'right, with spaces', 'wrong', 'of the code before', 'no digits'];
const five = Array.from({ length: 5 }, () => guess('wrong'));
/** Uses up all guesses of a 15-minute window. */
const useUpWindow: Step<Model, Real> = {
  ...series('use up a window', [wait(15 * 60_000), send(false), ...five, send(false), ...five]),
  applies: ({ guesses }) => guesses[1]!.left >= 10,
};

const steps = [
  fc.constantFrom(useUpWindow, series('guess wrong five times', five)),
  fc.constantFrom(send(false), send(false), send(false), send(true)),
  fc.constantFrom(...guesses.map(guess), guess('wrong'), guess('wrong'), guess('wrong')),
  anyDelay(ttlMs).map(wait),
];

describeAdapters(
  'Mailed code',
  ({ make, uniqueEmail }) => {
    async function open(): Promise<{ model: Model; real: Real }> {
      const clock = testClock();
      const email = uniqueEmail();
      const codes: string[] = [];
      let isDown = false;
      const mail = {
        async send({ text }: { text: string }) {
          if (isDown) throw new Error('down');
          codes.push(/^\d{6}$/m.exec(text)![0]);
        },
      };
      const { service } = await make({ clock, providers: { emailCode: { sender: mail } } });
      const text = (kind: Guess): string => {
        const [before = '', code = '012345'] = [codes.at(-2), codes.at(-1)];
        const wrong = code === '111111' ? '222222' : '111111';
        if (kind === 'right') return code;
        if (kind === 'right, with spaces') return ` ${code.slice(0, 3)} ${code.slice(3)}\n`;
        if (kind === 'no digits') return 'abcdef';
        return kind === 'wrong' || before === code || before === '' ? wrong : before;
      };
      const real: Real = {
        clock,
        send(fails) {
          isDown = fails;
          return outcomeOf(() => service.emailCode.sendCode({ email }));
        },
        guess: (kind) => outcomeOf(() => service.emailCode.verify({ email, code: text(kind) })),
      };
      return { model: newModel(clock.now()), real };
    }

    itHolds(
      'behaves as the model of a mailed code predicts at every step',
      () =>
        fc.asyncProperty(commandsOf(steps, 60), async (commands) => {
          const system = await open();
          await fc.asyncModelRun(() => system, commands);
        }),
      { runs: 80, weight: 2 },
    );
  },
  storages,
);
