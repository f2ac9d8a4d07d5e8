// A code by mail, as a state machine: sent, guessed, used, expired, limited; against a model of a few lines.
import fc from 'fast-check';
import { testClock, type TestClock } from 'svc-auth/testing';
import { describeAdapters } from '../../support/describe-adapters.js';
import { answerOf, anyDelay, commandsOf, day, GrowingWait, series, Window, type Step } from './model.js';
import { holds, storages } from './pass.js';

type Guess = 'right' | 'right, with spaces' | 'wrong' | 'of the code before' | 'no digits';

interface Model {
  now: number;
  code: { attempts: number; expiresAt: number; used: boolean } | null;
  sent: number;
  sends: Window;
  /** Mails to the mailbox on the day, with waits that grow beyond twenty. */
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
  take: (real) => real.send(fails),
  foretell(model) {
    const wait = Math.max(model.sends.waitOfNext(model.now), model.day.waitFrom(model.now));
    if (wait > 0) return `rate_limit_exceeded ${wait}`;
    model.sends.hit(model.now);
    model.day.hit(model.now);
    // The one before is gone, whatever becomes of this one.
    model.code = fails ? null : { attempts: 0, expiresAt: model.now + ttlMs, used: false };
    if (fails) [model.sends, model.day].forEach((each) => each.refund());
    else model.sent += 1;
    return fails ? 'email_send_failed' : 'ok';
  },
});

const guess = (kind: Guess): Step<Model, Real> => ({
  name: `guess ${kind}`,
  take: (real) => real.guess(kind),
  foretell(model) {
    const wait = Window.charge(model.guesses, model.now);
    if (wait > 0) return `rate_limit_exceeded ${wait}`;
    const answer = evaluate(model, kind.startsWith('right'));
    // A wrong one alone is counted, and the right one forgives all of them.
    if (!answer.startsWith('code_invalid')) model.guesses.forEach((each) => each.refund());
    if (answer === 'ok') [...model.guesses, model.sends, model.day].forEach((each) => each.forget());
    return answer;
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
  take: ({ clock }) => clock.advance(ms),
  foretell: (model) => void (model.now += ms),
});

const guesses: Guess[] = ['right', 'right, with spaces', 'wrong', 'of the code before', 'no digits'];
const five = Array.from({ length: 5 }, () => guess('wrong'));
/** All guesses that a quarter of an hour has. */
const spend = series('spend a window', [wait(15 * 60_000), send(false), ...five, send(false), ...five]);

const steps = [
  fc.constantFrom(spend, series('guess wrong five times', five)),
  fc.constantFrom(send(false), send(false), send(false), send(true)),
  fc.constantFrom(...guesses.map(guess), guess('wrong'), guess('wrong'), guess('wrong')),
  anyDelay(ttlMs).map(wait),
];

describeAdapters(
  'A code by mail',
  ({ make, person }) => {
    async function open(): Promise<{ model: Model; real: Real }> {
      const clock = testClock();
      const email = person();
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
          return answerOf(() => service.emailCode.sendCode({ email }));
        },
        guess: (kind) => answerOf(() => service.emailCode.verify({ email, code: text(kind) })),
      };
      return { model: newModel(clock.now()), real };
    }

    holds(
      'does what the model says, step by step',
      () =>
        fc.asyncProperty(commandsOf(steps, 60), async (commands) => {
          const opened = await open();
          await fc.asyncModelRun(() => opened, commands);
        }),
      { runs: 80, weight: 2 },
    );
  },
  storages,
);
