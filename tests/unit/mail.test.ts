// Mails: their templates and what is checked on their way (docs/security-requirements.md, C-40).
import { jest } from '@jest/globals';
import type { EmailContent, EmailMessage } from 'svc-auth';
import { codeTemplate, magicLinkTemplate, passwordResetTemplate } from '../../src/kit/email-templates.js';
import { Mailer, minutes } from '../../src/kit/mailer.js';
import { silentLogger } from '../../src/kit/logger.js';
import { Texter } from '../../src/kit/texter.js';
import { oddThrows, throwOdd } from '../support/odd-throws.js';
import { errorOf, outcomeOf } from '../support/outcomes.js';

const evil = `<script>alert("x")</script> & 'Co'`;
const escaped = '&#60;script&#62;alert(&#34;x&#34;)&#60;/script&#62; &#38; &#39;Co&#39;';
const url = 'https://app.test/verify?a=1&b=%22%3E&token=abc';

const mails: [string, (appName: string, expiresInMinutes?: number) => EmailContent][] = [
  ['code', (appName, expiresInMinutes = 10) => codeTemplate({ code: '012345', expiresInMinutes, appName })],
  ['link', (appName, expiresInMinutes = 15) => magicLinkTemplate({ url, expiresInMinutes, appName })],
  ['reset', (appName, expiresInMinutes = 30) => passwordResetTemplate({ url, expiresInMinutes, appName })],
];

describe.each(mails)('The %s mail', (kind, make) => {
  it('A-86 escapes the name of the app in HTML, and only there', () => {
    const { html, text, subject } = make(evil);
    expect(html).toContain(escaped);
    expect(html).not.toContain('<script>');
    expect(text).toContain(evil);
    expect(subject).toContain(evil);
  });

  it('carries the name of the app, what it is for and how long it is good', () => {
    const { html, text, subject } = make('Acme', 1);
    const secret = kind === 'code' ? '012345' : url;
    expect(subject).toContain('Acme');
    expect(text).toContain('Acme');
    expect(html).toContain('Acme');
    expect(text.split('\n')).toContain(secret);
    expect(text).toContain('It expires in 1 minute.');
    expect(make('Acme', 20).text).toContain('It expires in 20 minutes.');
    expect(make('Acme', 20).html).toContain('It expires in 20 minutes.');
  });

  it('fetches nothing from elsewhere when it is read', () => {
    expect(make('Acme').html).not.toMatch(/<img|<link|<iframe|url\(|@import/i);
  });
});

describe('A link in HTML', () => {
  it('A-86 cannot leave its attribute', () => {
    const breaking = 'https://app.test/"onclick="alert(1)';
    const { html, text } = magicLinkTemplate({ url: breaking, expiresInMinutes: 15, appName: 'Acme' });
    expect(html).not.toContain('"onclick="');
    expect(html).toContain('href="https://app.test/&#34;onclick=&#34;alert(1)"');
    expect(text).toContain(breaking);
  });

  it('A-86 keeps its ampersands apart', () => {
    const { html } = magicLinkTemplate({ url, expiresInMinutes: 15, appName: 'Acme' });
    expect(html).toContain('href="https://app.test/verify?a=1&#38;b=%22%3E&#38;token=abc"');
  });
});

describe('A lifetime in minutes', () => {
  it('is rounded, and never 0', () => {
    expect([1, 29_000, 60_000, 89_000, 91_000, 900_000].map(minutes)).toEqual([1, 1, 1, 1, 2, 15]);
  });
});

describe('The mailer', () => {
  const good: EmailContent = { subject: 'Hello', html: '<p>Hello</p>', text: 'Hello' };

  function mailer(fail?: () => Promise<void>) {
    const sent: EmailMessage[] = [];
    const sender = {
      async send(message: EmailMessage) {
        await fail?.();
        sent.push(message);
      },
    };
    const logged: object[] = [];
    const kit = new Mailer('Acme', { ...silentLogger, error: (fields) => void logged.push(fields) });
    const send = (content: unknown, from?: string) =>
      kit.send('email_code', 'ada@example.com', { sender, from }, () => content as EmailContent);
    return { send, sent, logged, kit, sender };
  }

  it('hands the sender the message with its kind', async () => {
    const { send, sent } = mailer();
    await send(good);
    await send(good, 'Acme <no-reply@acme.test>');
    expect(sent).toEqual([
      { to: 'ada@example.com', kind: 'email_code', ...good },
      { to: 'ada@example.com', kind: 'email_code', from: 'Acme <no-reply@acme.test>', ...good },
    ]);
  });

  it.each([
    ['a line feed in its subject', { ...good, subject: 'Hello\nBcc: attacker@evil.com' }],
    ['a carriage return in its subject', { ...good, subject: 'Hello\rBcc: attacker@evil.com' }],
    ['U+0000 in its subject', { ...good, subject: 'Hello\0' }],
    ['a subject of 201 characters', { ...good, subject: 'x'.repeat(201) }],
    ['a file in place of its text', { ...good, text: { path: '/etc/hostname' } }],
    ['a URL in place of its HTML', { ...good, html: { href: 'http://169.254.169.254/' } }],
    ['a subject that is no text', { ...good, subject: 1 }],
    ['no text', { subject: 'Hello', html: '<p>Hello</p>' }],
    ['no HTML', { subject: 'Hello', text: 'Hello' }],
    ['nothing', undefined],
    ['a promise of none', Promise.resolve(undefined)],
  ])('A-85 does not send a mail with %s', async (_name, content) => {
    const { send, sent } = mailer();
    expect(await outcomeOf(() => send(content))).toBe('email_send_failed');
    expect(sent).toEqual([]);
  });

  it('A-85 sends a subject of 200 characters', async () => {
    const { send, sent } = mailer();
    await send({ ...good, subject: 'x'.repeat(200) });
    expect(sent).toHaveLength(1);
  });

  it('answers email_send_failed, with the cause, when the sender or the template fails', async () => {
    const cause = new Error('connection refused');
    const { send, kit, sender } = mailer(() => Promise.reject(cause));
    expect(await errorOf(() => send(good))).toMatchObject({ code: 'email_send_failed', cause });
    const template = () => {
      throw cause;
    };
    const call = () => kit.send('email_code', 'ada@example.com', { sender }, template);
    expect(await errorOf(call)).toMatchObject({ code: 'email_send_failed', cause });
  });

  it('A-93 logs that a mail failed without its address and its text', async () => {
    const failure = Object.assign(new Error('550 <ada@example.com> unknown'), {
      response: 'Your code is 012345',
    });
    const { send, logged } = mailer(() => Promise.reject(failure));
    await errorOf(() => send({ ...good, text: 'Your code is 012345' }));
    expect(logged).toHaveLength(1);
    expect(JSON.stringify(logged)).toContain('a***@example.com');
    expect(JSON.stringify(logged)).not.toMatch(/ada@|012345/);
  });

  it.each(Object.entries(oddThrows))(
    'is email_send_failed, and takes back what the mail was about, where the sender throws %s',
    async (_name, make) => {
      const { kit, logged } = mailer();
      const sender = { send: async () => throwOdd(make) };
      let withdrawn = 0;
      const withdraw = async () => void (withdrawn += 1);
      const call = () => kit.send('email_code', 'ada@example.com', { sender }, () => good, withdraw);
      expect(await outcomeOf(call)).toBe('email_send_failed');
      expect([withdrawn, logged.length]).toEqual([1, 1]);
    },
  );

  it('takes back what a message was about even where the log fails', async () => {
    const logger = {
      ...silentLogger,
      error() {
        throw new Error('disk full');
      },
    };
    const sender = { send: () => Promise.reject(new Error('refused')) };
    let withdrawn = 0;
    const withdraw = async () => void (withdrawn += 1);
    const [mails, texts] = [new Mailer('Acme', logger), new Texter('Acme', logger)];
    await errorOf(() => mails.send('email_code', 'ada@example.com', { sender }, () => good, withdraw));
    await errorOf(() => texts.send('+4915112345678', sender, () => 'Your code is 012345', withdraw));
    expect(withdrawn).toBe(2);
  });

  it('sends and logs what it has checked, whatever a template says the second time', async () => {
    const { send, sent } = mailer();
    let asked = 0;
    const changing = {
      ...good,
      get text() {
        asked += 1;
        return asked === 1 ? 'Hello' : { path: '/etc/hostname' };
      },
    };
    await send(changing);
    expect(sent).toEqual([expect.objectContaining({ text: 'Hello' })]);
  });

  it('does not wait longer than half a minute for a sender', async () => {
    jest.useFakeTimers();
    try {
      const { send } = mailer(() => new Promise(() => undefined));
      const outcome = outcomeOf(() => send(good));
      await jest.advanceTimersByTimeAsync(30_000);
      expect(await outcome).toBe('email_send_failed');
      expect(jest.getTimerCount()).toBe(0);
    } finally {
      jest.useRealTimers();
    }
  });

  it('leaves no timer behind that keeps the process alive', async () => {
    jest.useFakeTimers();
    try {
      await mailer().send(good);
      expect(jest.getTimerCount()).toBe(0);
    } finally {
      jest.useRealTimers();
    }
  });
});
