/** Senders that hang, throw what they like, or answer when the service is closed: mails and text messages, in requests and behind them. */
import { jest } from '@jest/globals';
import type { EmailMessage } from 'svc-auth';
import { smsOutbox } from 'svc-auth/testing';
import { license } from '../../support/make-pro-service.js';
import { makeService, type TestService } from '../../support/make-service.js';
import { oddThrows, throwOdd } from '../../support/odd-throws.js';
import { inTurn, outcomeOf } from '../../support/outcomes.js';

const throwOddLater = async (make: () => unknown) => throwOdd(make);

const email = 'ada@example.com';
const phone = '+12025550123';
const halfAMinute = 30_000;
const rateLimit = { maxPerWindow: 2, windowMs: 15 * 60_000 };

/** A service whose senders do as `behave` says; undefined = they work. */
async function fragile() {
  const texts = smsOutbox();
  const state: { behave: ((message: object) => unknown) | undefined } = { behave: undefined };
  const way = <M extends object>(deliver: (message: M) => Promise<void>) => ({
    send: (message: M) => (state.behave ? (state.behave(message) as Promise<void>) : deliver(message)),
  });
  const mails: EmailMessage[] = [];
  const sender = way<EmailMessage>(async (message) => void mails.push(message));
  const test = await makeService({
    ...license,
    rateLimit,
    providers: {
      emailCode: { sender },
      magicLink: { sender },
      emailPassword: { sender },
      phoneOtp: { sender: way((message: { to: string; body: string }) => texts.send(message)) },
      sessions: true,
    },
  });
  return { ...test, mails, texts, state };
}
type Fragile = Awaited<ReturnType<typeof fragile>>;

const codeIn = (text: string) => /^.*?(\d{6})/ms.exec(text)![1]!;
const tokenIn = (text: string) => new URL(/https?:\S+/.exec(text)![0]).searchParams.get('token')!;

/** What is asked for, and used as it was sent. */
const uses: [
  string,
  string,
  (test: TestService) => Promise<unknown>,
  (test: TestService, text: string) => unknown,
][] = [
  [
    'a code by mail',
    'code_not_found',
    ({ service }) => service.emailCode.sendCode({ email }),
    ({ service }, text) => service.emailCode.verify({ email, code: codeIn(text) }),
  ],
  [
    'a link',
    'token_invalid',
    ({ service }) => service.magicLink.sendLink({ email }),
    ({ service }, text) => service.magicLink.verify(tokenIn(text)),
  ],
  [
    'a code by text message',
    'code_not_found',
    ({ service }) => service.phoneOtp.sendCode({ phone }),
    ({ service }, text) => service.phoneOtp.verify({ phone, code: codeIn(text) }),
  ],
  [
    'a reset',
    'token_invalid',
    ({ service }) => service.emailPassword.requestReset({ email }),
    ({ service }, text) =>
      service.emailPassword.setPassword({ token: tokenIn(text), newPassword: 'battery staple' }),
  ],
];

const ways: [string, string, (test: TestService) => Promise<unknown>][] = [
  ['a code by mail', 'email_send_failed', ({ service }) => service.emailCode.sendCode({ email })],
  ['a link', 'email_send_failed', ({ service }) => service.magicLink.sendLink({ email })],
  ['a code by text message', 'sms_send_failed', ({ service }) => service.phoneOtp.sendCode({ phone })],
];

/** None of what failed was charged: the whole window is left, and no more. */
async function expectNothingCharged(test: Fragile, send: (test: TestService) => Promise<unknown>) {
  test.state.behave = undefined;
  expect(await inTurn(3, () => send(test))).toEqual(['ok', 'ok', 'rate_limit_exceeded']);
}

beforeEach(() => void jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] }));
afterEach(() => void jest.useRealTimers());

describe.each(ways)('A sender of %s', (_name, failed, send) => {
  it('that hangs is given up after half a minute, and not charged', async () => {
    const test = await fragile();
    test.state.behave = () => new Promise(() => undefined);
    const outcomes = Promise.all(Array.from({ length: 2 }, () => outcomeOf(() => send(test))));
    await jest.advanceTimersByTimeAsync(halfAMinute);
    expect(await outcomes).toEqual([failed, failed]);
    expect(JSON.stringify(test.log)).toContain('The sender did not answer in 30000 ms.');
    expect(jest.getTimerCount()).toBe(0);
    await expectNothingCharged(test, send);
  });

  it('that hangs and then fails or succeeds after all has no effect any more', async () => {
    const test = await fragile();
    const settle: (() => void)[] = [];
    test.state.behave = () =>
      new Promise((resolve, reject) =>
        settle.push(
          () => resolve(undefined),
          () => reject(new Error('late')),
        ),
      );
    const outcomes = Promise.all([outcomeOf(() => send(test)), outcomeOf(() => send(test))]);
    await jest.advanceTimersByTimeAsync(halfAMinute);
    expect(await outcomes).toEqual([failed, failed]);
    // Of the first one the success, of the second the failure: an unhandled rejection would fail this test.
    settle[0]!();
    settle[3]!();
    await jest.advanceTimersByTimeAsync(0);
    await expectNothingCharged(test, send);
  });

  it.each(Object.entries(oddThrows))(
    'that throws or rejects with %s is told of by code, and not charged',
    async (_odd, make) => {
      const test = await fragile();
      for (const behave of [() => throwOdd(make), () => throwOddLater(make)]) {
        test.state.behave = behave;
        expect(await outcomeOf(() => send(test))).toBe(failed);
      }
      await expectNothingCharged(test, send);
    },
  );

  it('that returns no promise has sent, whatever it returns', async () => {
    const test = await fragile();
    for (const answer of [undefined, false, { then: 'no function' }]) {
      test.clock.advance(rateLimit.windowMs);
      test.state.behave = () => answer;
      expect(await outcomeOf(() => send(test))).toBe('ok');
    }
  });
});

describe('A reset', () => {
  const ask = ({ service }: TestService) => service.emailPassword.requestReset({ email });
  /** Until the mail is at its sender, or beyond. */
  const underWay = async () => {
    for (let i = 0; i < 20; i += 1) await new Promise((resolve) => setImmediate(resolve));
  };

  it.each([
    ['hangs', () => new Promise(() => undefined)],
    ['throws', () => throwOdd(() => 'a text')],
    ['rejects with nothing', () => Promise.reject(undefined as unknown as Error)],
  ])('whose sender %s is answered as for a stranger, and not charged', async (_name, behave) => {
    const test = await fragile();
    await test.service.emailPassword.signup({ email, password: 'correct horse' });
    test.state.behave = behave;
    expect(await ask(test)).toEqual({ sent: true });
    expect(await test.service.emailPassword.requestReset({ email: 'stranger@example.com' })).toEqual({
      sent: true,
    });
    await underWay();
    await jest.advanceTimersByTimeAsync(halfAMinute);
    await underWay();
    expect(test.log.filter(({ level }) => level === 'error').map(({ message }) => message)).toEqual([
      'a mail could not be sent',
    ]);
    test.state.behave = undefined;
    for (let i = 0; i < 3; i += 1) await ask(test);
    await underWay();
    expect(test.mails).toHaveLength(2);
  });
});

describe.each(uses)('A message with %s', (_name, code, send, use) => {
  async function sent(behave: () => unknown) {
    const test = await fragile();
    await test.service.emailPassword.signup({ email, password: 'correct horse' });
    const texts: string[] = [];
    test.state.behave = (message) => {
      const { text, body } = message as { text?: string; body?: string };
      texts.push(text ?? body ?? '');
      return behave();
    };
    await Promise.all([
      send(test).catch(() => undefined),
      (async () => {
        for (let i = 0; i < 20; i += 1) await new Promise((resolve) => setImmediate(resolve));
        await jest.advanceTimersByTimeAsync(halfAMinute);
        for (let i = 0; i < 20; i += 1) await new Promise((resolve) => setImmediate(resolve));
      })(),
    ]);
    return { test, text: texts[0]! };
  }

  it.each([
    ['hung', () => new Promise(() => undefined)],
    ['failed', () => Promise.reject(new Error('the line broke'))],
  ])('that arrives although its sender %s is good for nothing', async (_how, behave) => {
    const { test, text } = await sent(behave);
    expect(await outcomeOf(() => use(test, text))).toBe(code);
  });

  it('that was sent is good', async () => {
    const { test, text } = await sent(() => undefined);
    expect(await outcomeOf(() => use(test, text))).toBe('ok');
  });
});

describe('close()', () => {
  const underWay = async () => {
    for (let i = 0; i < 20; i += 1) await new Promise((resolve) => setImmediate(resolve));
  };

  it('waits for a mail that takes its time', async () => {
    const test = await fragile();
    await test.service.emailPassword.signup({ email, password: 'correct horse' });
    let sent = false;
    test.state.behave = () => new Promise((resolve) => setTimeout(() => resolve((sent = true)), 20_000));
    await test.service.emailPassword.requestReset({ email });
    await underWay();
    const closing = test.service.close();
    await jest.advanceTimersByTimeAsync(20_000);
    await closing;
    expect(sent).toBe(true);
    expect(test.log.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('waits no longer than it was told, names what it left, and what is sent after it does no harm', async () => {
    const test = await fragile();
    await test.service.emailPassword.signup({ email, password: 'correct horse' });
    let fail = (_reason: Error) => undefined as void;
    test.state.behave = () => new Promise((_, reject) => (fail = reject));
    await test.service.emailPassword.requestReset({ email });
    await underWay();
    let closed = false;
    const closing = test.service.close({ timeoutMs: 2_000 }).then(() => (closed = true));
    await jest.advanceTimersByTimeAsync(1_999);
    expect(closed).toBe(false);
    await jest.advanceTimersByTimeAsync(1);
    await closing;
    expect(test.log.filter(({ level }) => level === 'error')).toMatchObject([
      { fields: { event: 'close_incomplete', waitingFor: ['password reset mail'] } },
    ]);
    fail(new Error('the connection was closed'));
    await underWay();
    expect(test.log.filter(({ level }) => level === 'error').at(-1)?.message).toBe(
      'a mail could not be sent',
    );
  });

  it('does not wait for ever for a sender or an adapter that does not close', async () => {
    const { adapter } = await fragile();
    const hang = () => new Promise<void>(() => undefined);
    const sender = { send: async () => undefined, close: hang };
    const test = await makeService({
      adapter: { ...adapter, close: hang },
      providers: { emailCode: { sender } },
    });
    const closing = test.service.close();
    await jest.advanceTimersByTimeAsync(10_000);
    await closing;
    expect(test.log.map(({ fields }) => fields['waitingFor'])).toEqual([['a sender'], ['the adapter']]);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('takes an adapter that closes without a promise', async () => {
    const { adapter } = await fragile();
    const close = (() => undefined) as unknown as typeof adapter.close;
    const test = await makeService({ adapter: { ...adapter, close } });
    expect(await outcomeOf(() => test.service.close())).toBe('ok');
  });

  it.each([0, -1, Number.NaN, '5'])('refuses %p for a time', async (timeoutMs) => {
    const { service } = await makeService();
    expect(await outcomeOf(() => service.close({ timeoutMs: timeoutMs as number }))).toBe('invalid_request');
  });
});
