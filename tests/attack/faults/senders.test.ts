/** Senders that hang, throw arbitrary values or respond only after the service was closed, for mails and text messages. */
import type { EmailMessage } from 'svc-auth';
import { smsOutbox } from 'svc-auth/testing';
import { license } from '../../support/make-pro-service.js';
import { makeService, type TestService } from '../../support/make-service.js';
import { malformedErrors, throwMalformed } from '../../support/malformed-errors.js';
import { runInSequence, outcomeOf } from '../../support/outcomes.js';

const throwOddLater = async (make: () => unknown) => throwMalformed(make);

const email = 'ada@example.com';
const phone = '+12025550123';
const halfAMinute = 30_000;
const rateLimit = { maxPerWindow: 2, windowMs: 15 * 60_000 };

/** Creates a service whose senders call `behave`, or work if it is undefined. */
async function makeWithSenders() {
  const texts = smsOutbox();
  const state: { behave: ((message: object) => unknown) | undefined; calls: number } = {
    behave: undefined,
    calls: 0,
  };
  const senderOf = <M extends object>(deliver: (message: M) => Promise<void>) => ({
    send: (message: M) => {
      state.calls += 1;
      return state.behave ? (state.behave(message) as Promise<void>) : deliver(message);
    },
  });
  const mails: EmailMessage[] = [];
  const sender = senderOf<EmailMessage>(async (message) => void mails.push(message));
  const test = await makeService({
    ...license,
    rateLimit,
    providers: {
      emailCode: { sender },
      magicLink: { sender },
      emailPassword: { sender },
      phoneOtp: { sender: senderOf((message: { to: string; body: string }) => texts.send(message)) },
      sessions: true,
    },
  });
  return { ...test, mails, texts, state };
}
type WithSenders = Awaited<ReturnType<typeof makeWithSenders>>;

const nextTurns = async (turns = 20) => {
  for (let i = 0; i < turns; i += 1) await new Promise((resolve) => setImmediate(resolve));
};
/** Waits until so many messages have reached their sender. Their content is loaded before, which takes any number of turns of the event loop. */
async function untilSent({ state }: WithSenders, count = 1): Promise<void> {
  while (state.calls < count) await nextTurns(1);
  await nextTurns();
}

const codeIn = (text: string) => /^.*?(\d{6})/ms.exec(text)![1]!;
const tokenIn = (text: string) => new URL(/https?:\S+/.exec(text)![0]).searchParams.get('token')!;

/** Every message with a secret: its error code when rejected, how to request it and how to use it. */
const uses: [
  string,
  string,
  (test: TestService) => Promise<unknown>,
  (test: TestService, text: string) => unknown,
][] = [
  [
    'an email code',
    'code_not_found',
    ({ service }) => service.emailCode.sendCode({ email }),
    ({ service }, text) => service.emailCode.verify({ email, code: codeIn(text) }),
  ],
  [
    'a magic link',
    'token_invalid',
    ({ service }) => service.magicLink.sendLink({ email }),
    ({ service }, text) => service.magicLink.verify(tokenIn(text)),
  ],
  [
    'a text message code',
    'code_not_found',
    ({ service }) => service.phoneOtp.sendCode({ phone }),
    ({ service }, text) => service.phoneOtp.verify({ phone, code: codeIn(text) }),
  ],
  [
    'a reset link',
    'token_invalid',
    ({ service }) => service.emailPassword.requestReset({ email }),
    ({ service }, text) =>
      service.emailPassword.setPassword({ token: tokenIn(text), newPassword: 'battery staple' }),
  ],
];

const messages: [string, string, (test: TestService) => Promise<unknown>][] = [
  ['an email code', 'email_send_failed', ({ service }) => service.emailCode.sendCode({ email })],
  ['a magic link', 'email_send_failed', ({ service }) => service.magicLink.sendLink({ email })],
  ['a text message code', 'sms_send_failed', ({ service }) => service.phoneOtp.sendCode({ phone })],
];

/** Expects that failed sends were not counted: the whole limit is left, and no more. */
async function expectNothingCounted(test: WithSenders, send: (test: TestService) => Promise<unknown>) {
  test.state.behave = undefined;
  expect(await runInSequence(3, () => send(test))).toEqual(['ok', 'ok', 'rate_limit_exceeded']);
}

beforeEach(() => void jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] }));
afterEach(() => void jest.useRealTimers());

describe.each(messages)('Sender of %s', (_name, failed, send) => {
  it('gives up a hanging sender after 30 seconds, and does not count the message', async () => {
    const test = await makeWithSenders();
    test.state.behave = () => new Promise(() => undefined);
    const outcomes = Promise.all(Array.from({ length: 2 }, () => outcomeOf(() => send(test))));
    await untilSent(test, 2);
    await jest.advanceTimersByTimeAsync(halfAMinute);
    expect(await outcomes).toEqual([failed, failed]);
    expect(JSON.stringify(test.log)).toContain('The sender did not respond within 30000 ms.');
    expect(jest.getTimerCount()).toBe(0);
    await expectNothingCounted(test, send);
  });

  it('ignores a late success or failure of a sender that hung', async () => {
    const test = await makeWithSenders();
    const settle: (() => void)[] = [];
    test.state.behave = () =>
      new Promise((resolve, reject) =>
        settle.push(
          () => resolve(undefined),
          () => reject(new Error('late')),
        ),
      );
    const outcomes = Promise.all([outcomeOf(() => send(test)), outcomeOf(() => send(test))]);
    await untilSent(test, 2);
    await jest.advanceTimersByTimeAsync(halfAMinute);
    expect(await outcomes).toEqual([failed, failed]);
    // The first one succeeds, the second one fails: an unhandled rejection would fail this test.
    settle[0]!();
    settle[3]!();
    await jest.advanceTimersByTimeAsync(0);
    await expectNothingCounted(test, send);
  });

  it.each(Object.entries(malformedErrors))(
    'returns the error code and counts no message if the sender throws or rejects with %s',
    async (_odd, make) => {
      const test = await makeWithSenders();
      for (const behave of [() => throwMalformed(make), () => throwOddLater(make)]) {
        test.state.behave = behave;
        expect(await outcomeOf(() => send(test))).toBe(failed);
      }
      await expectNothingCounted(test, send);
    },
  );

  it('treats a sender that returns no promise as successful', async () => {
    const test = await makeWithSenders();
    for (const result of [undefined, false, { then: 'not a function' }]) {
      test.clock.advance(rateLimit.windowMs);
      test.state.behave = () => result;
      expect(await outcomeOf(() => send(test))).toBe('ok');
    }
  });
});

describe('Reset request', () => {
  const requestReset = ({ service }: TestService) => service.emailPassword.requestReset({ email });

  it.each([
    ['hangs', () => new Promise(() => undefined)],
    ['throws', () => throwMalformed(() => 'a string')],
    ['rejects with nothing', () => Promise.reject(undefined as unknown as Error)],
  ])(
    'returns the same response as for an unknown address, and counts no mail, if its sender %s',
    async (_name, behave) => {
      const test = await makeWithSenders();
      await test.service.emailPassword.signup({ email, password: 'correct horse' });
      test.state.behave = behave;
      expect(await requestReset(test)).toEqual({ sent: true });
      expect(await test.service.emailPassword.requestReset({ email: 'stranger@example.com' })).toEqual({
        sent: true,
      });
      await untilSent(test);
      await jest.advanceTimersByTimeAsync(halfAMinute);
      await nextTurns();
      expect(
        test.log.filter(({ fields }) => fields['event'] === 'mail_failed').map(({ message }) => message),
      ).toEqual(['a mail could not be sent']);
      test.state.behave = undefined;
      for (let i = 0; i < 3; i += 1) await requestReset(test);
      await test.service.close();
      expect(test.mails).toHaveLength(2);
    },
  );
});

describe.each(uses)('Message with %s', (_name, code, send, use) => {
  async function sendWith(behave: () => unknown) {
    const test = await makeWithSenders();
    await test.service.emailPassword.signup({ email, password: 'correct horse' });
    const contents: string[] = [];
    test.state.behave = (message) => {
      const { text, body } = message as { text?: string; body?: string };
      contents.push(text ?? body ?? '');
      return behave();
    };
    await Promise.all([
      send(test).catch(() => undefined),
      (async () => {
        await untilSent(test);
        await jest.advanceTimersByTimeAsync(halfAMinute);
        await nextTurns();
      })(),
    ]);
    return { test, text: contents[0]! };
  }

  it.each([
    ['hung', () => new Promise(() => undefined)],
    ['failed', () => Promise.reject(new Error('the connection broke'))],
  ])('contains no valid secret if it arrives although its sender %s', async (_how, behave) => {
    const { test, text } = await sendWith(behave);
    expect(await outcomeOf(() => use(test, text))).toBe(code);
  });

  it('contains a valid secret if its sender succeeded', async () => {
    const { test, text } = await sendWith(() => undefined);
    expect(await outcomeOf(() => use(test, text))).toBe('ok');
  });
});

describe('close()', () => {
  it('waits in close() for a mail that takes long', async () => {
    const test = await makeWithSenders();
    await test.service.emailPassword.signup({ email, password: 'correct horse' });
    let sent = false;
    test.state.behave = () => new Promise((resolve) => setTimeout(() => resolve((sent = true)), 20_000));
    await test.service.emailPassword.requestReset({ email });
    await untilSent(test);
    const closing = test.service.close();
    await jest.advanceTimersByTimeAsync(20_000);
    await closing;
    expect(sent).toBe(true);
    expect(test.log.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('ends close() after its timeoutMs, logs what was pending, and ignores later results', async () => {
    const test = await makeWithSenders();
    await test.service.emailPassword.signup({ email, password: 'correct horse' });
    let fail = (_reason: Error) => undefined as void;
    test.state.behave = () => new Promise((_, reject) => (fail = reject));
    await test.service.emailPassword.requestReset({ email });
    await untilSent(test);
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
    await nextTurns();
    expect(test.log.filter(({ fields }) => fields['event'] === 'mail_failed').at(-1)?.message).toBe(
      'a mail could not be sent',
    );
  });

  it('does not wait forever in close() for a sender or an adapter that does not close', async () => {
    const { adapter } = await makeWithSenders();
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

  it('accepts in close() an adapter whose close returns no promise', async () => {
    const { adapter } = await makeWithSenders();
    const close = (() => undefined) as unknown as typeof adapter.close;
    const test = await makeService({ adapter: { ...adapter, close } });
    expect(await outcomeOf(() => test.service.close())).toBe('ok');
  });

  it.each([0, -1, Number.NaN, '5'])('rejects %p as the timeoutMs of close()', async (timeoutMs) => {
    const { service } = await makeService();
    expect(await outcomeOf(() => service.close({ timeoutMs: timeoutMs as number }))).toBe('invalid_request');
  });
});
