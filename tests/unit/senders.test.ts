// The senders that need no server, and the outboxes of svc-auth/testing.
import { consoleSender, consoleSmsSender, type EmailMessage } from 'svc-auth';
import { outbox, smsOutbox, testClock } from 'svc-auth/testing';

const mail = (to: string, text: string): EmailMessage => ({
  to,
  subject: 'S',
  html: '',
  text,
  kind: 'email_code',
});

describe('consoleSender', () => {
  it('consoleSender() prints the recipient and the message', async () => {
    const printed: string[] = [];
    await consoleSender((text) => printed.push(text)).send(mail('ada@example.com', 'Your code: 012345'));
    expect(printed).toEqual([expect.stringMatching(/ada@example\.com[\s\S]*S[\s\S]*012345/)]);
  });

  it('consoleSender() and consoleSmsSender() print to the console by default', async () => {
    const log = jest.spyOn(console, 'log').mockImplementation(() => undefined);
    try {
      await consoleSender().send(mail('ada@example.com', '012345'));
      await consoleSmsSender().send({ to: '+15550100', body: '543210' });
      expect(log.mock.calls.flat().join()).toMatch(/012345[\s\S]*543210/);
    } finally {
      log.mockRestore();
    }
  });
});

describe('outbox', () => {
  it('outbox() returns the newest code and link of an address', async () => {
    const box = outbox();
    await box.send(mail('ada@example.com', 'Acme 2024\n\n111111\n'));
    await box.send(mail('bob@example.com', '222222'));
    await box.send(mail('ada@example.com', 'Acme 2024\n\n012345\n'));
    await box.send(mail('ada@example.com', 'Open https://app.test/x?token=a.b-c_d now'));
    expect(box.lastCode('ada@example.com')).toBe('012345');
    expect(box.lastLink('ada@example.com')).toBe('https://app.test/x?token=a.b-c_d');
    expect(box.lastLink('bob@example.com')).toBeUndefined();
    expect(box.lastCode('carol@example.com')).toBeUndefined();
    expect(box.messages).toHaveLength(4);
    box.clear();
    expect(box.messages).toEqual([]);
    expect(box.lastCode('ada@example.com')).toBeUndefined();
  });

  it('outbox() ignores the case of the address, and punctuation after a link', async () => {
    const box = outbox();
    await box.send(mail('ada@example.com', 'Code 012345. Open (https://app.test/x?token=a.b-c_d).'));
    expect(box.lastCode('Ada@Example.com')).toBe('012345');
    expect(box.lastLink(' ADA@example.com')).toBe('https://app.test/x?token=a.b-c_d');
    const sms = smsOutbox();
    await sms.send({ to: '+15550100', body: 'Join at <https://app.test/join/1>, please.' });
    expect(sms.lastLink('+15550100')).toBe('https://app.test/join/1');
    expect(sms.lastLink('+15550101')).toBeUndefined();
  });

  it('smsOutbox() returns the newest code of a number', async () => {
    const box = smsOutbox();
    await box.send({ to: '+15550100', body: 'Acme: 111111' });
    await box.send({ to: '+15550100', body: 'Acme: 012345 is your code' });
    expect(box.lastCode('+15550100')).toBe('012345');
    expect(box.lastCode('+15550101')).toBeUndefined();
  });

  it.each([
    ['outbox', outbox(), mail('ada@example.com', '1')],
    ['smsOutbox', smsOutbox(), { to: 'ada@example.com', body: '1' }],
  ] as const)('%s().next() waits for a message that has not been sent yet', async (_name, box, message) => {
    const both = Promise.all([box.next('Ada@example.com'), box.next('ada@example.com')]);
    setImmediate(() => void box.send(message as never));
    setImmediate(() => void box.send({ ...message } as never));
    const [first, second] = await both;
    expect(first).toBe(box.messages[0]);
    expect(second).toBe(box.messages[1]);
  });

  it('outbox().next() returns each message to an address once, the oldest first', async () => {
    const box = outbox();
    for (const text of ['one', 'two']) await box.send(mail('ada@example.com', text));
    await box.send(mail('bob@example.com', 'three'));
    const texts = [await box.next('ada@example.com'), await box.next('ada@example.com')];
    expect(texts.map(({ text }) => text)).toEqual(['one', 'two']);
    box.clear();
    await box.send(mail('ada@example.com', 'four'));
    expect(await box.next('ada@example.com')).toMatchObject({ text: 'four' });
  });

  it('outbox().next() rejects with what was sent if nothing arrives in time, also with fake timers', async () => {
    const box = outbox();
    await box.send(mail('bob@example.com', 'x'));
    await box.next('bob@example.com');
    jest.useFakeTimers();
    try {
      await expect(box.next('ada@example.com', { timeoutMs: 10 })).rejects.toThrow(
        'No message to ada@example.com was sent within 10 ms. What was sent:\n' +
          '  email_code to bob@example.com: S (returned)',
      );
      await expect(smsOutbox().next('+15550100', { timeoutMs: 1 })).rejects.toThrow('Nothing was sent.');
    } finally {
      jest.useRealTimers();
    }
  });
});

describe('testClock', () => {
  it('testClock() does not advance by itself', () => {
    const clock = testClock(1000);
    expect([clock.now(), clock.now()]).toEqual([1000, 1000]);
    clock.advance(500);
    expect(clock.now()).toBe(1500);
    clock.set(10);
    expect(clock.now()).toBe(10);
  });

  it('testClock() starts at the current time', () => {
    const before = Date.now();
    expect(testClock().now()).toBeGreaterThanOrEqual(before);
    expect(testClock().now()).toBeLessThanOrEqual(Date.now());
  });
});
