// Mails: their templates and what is checked before they are sent (docs/security-requirements.md
// C-40).
import type { EmailContent, EmailMessage } from 'svc-auth';
import {
  codeTemplate,
  magicLinkTemplate,
  passwordResetTemplate,
} from '../../src/core/mail/email-templates.js';
import { Languages } from '../../src/core/mail/languages.js';
import { Mailer, minutes } from '../../src/core/mail/mailer.js';
import { en } from '../../src/core/mail/texts/en.js';
import { silentLogger, type Logger } from '../../src/core/support/logger.js';
import { SmsMailer } from '../../src/core/mail/sms-mailer.js';
import { plainBrand } from '../support/every-mail.js';
import { malformedErrors, throwMalformed } from '../support/malformed-errors.js';
import { errorOf, outcomeOf } from '../support/outcomes.js';

const evil = `<script>alert("x")</script> & 'Co'`;
const escaped = '&#60;script&#62;alert(&#34;x&#34;)&#60;/script&#62; &#38; &#39;Co&#39;';
const url = 'https://app.test/verify?a=1&b=%22%3E&token=abc';

const english = { language: 'en', texts: en, brand: plainBrand('Acme') };

function languagesOf(appName: string, logger: Logger = silentLogger): Languages {
  return new Languages({ offered: ['en'], default: 'en', translations: {} }, plainBrand(appName), logger);
}

const mails: [string, (appName: string, expiresInMinutes?: number) => EmailContent][] = [
  [
    'code',
    (appName, expiresInMinutes = 10) =>
      codeTemplate({ ...english, code: '012345', expiresInMinutes, appName }),
  ],
  [
    'link',
    (appName, expiresInMinutes = 15) => magicLinkTemplate({ ...english, url, expiresInMinutes, appName }),
  ],
  [
    'reset',
    (appName, expiresInMinutes = 30) => passwordResetTemplate({ ...english, url, expiresInMinutes, appName }),
  ],
];

describe.each(mails)('the template of the %s mail', (kind, make) => {
  //
  it('the mail escapes the name of the application in HTML only', () => {
    const { html, text, subject } = make(evil);
    expect(html).toContain(escaped);
    expect(html).not.toContain('<script>');
    expect(text).toContain(evil);
    expect(subject).toContain(evil);
  });

  it('the mail contains the name of the application, its code or link, and its lifetime', () => {
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

  it('the HTML of the mail loads no external content', () => {
    expect(make('Acme').html).not.toMatch(/<img|<link|<iframe|url\(|@import/i);
  });
});

describe('links in the HTML of a mail', () => {
  //
  it('a URL with quotes does not end the attribute of the link', () => {
    const breaking = 'https://app.test/"onclick="alert(1)';
    const { html, text } = magicLinkTemplate({
      ...english,
      url: breaking,
      expiresInMinutes: 15,
      appName: 'Acme',
    });
    expect(html).not.toContain('"onclick="');
    expect(html).toContain('href="https://app.test/&#34;onclick=&#34;alert(1)"');
    expect(text).toContain(breaking);
  });

  //
  it('ampersands in a URL are escaped in the HTML of the mail', () => {
    const { html } = magicLinkTemplate({ ...english, url, expiresInMinutes: 15, appName: 'Acme' });
    expect(html).toContain('href="https://app.test/verify?a=1&#38;b=%22%3E&#38;token=abc"');
  });
});

describe('minutes()', () => {
  it('minutes() rounds a lifetime and never returns 0', () => {
    expect([1, 29_000, 60_000, 89_000, 91_000, 900_000].map(minutes)).toEqual([1, 1, 1, 1, 2, 15]);
  });
});

describe('Mailer', () => {
  const headers = { 'Auto-Submitted': 'auto-generated' };
  const good: EmailContent = { subject: 'Hello', html: '<p>Hello</p>', text: 'Hello' };

  function mailerWith(fail?: () => Promise<void>) {
    const sent: EmailMessage[] = [];
    const sender = {
      async send(message: EmailMessage) {
        await fail?.();
        sent.push(message);
      },
    };
    const logged: object[] = [];
    const log = (fields: object) => void logged.push(fields);
    const logger = { ...silentLogger, warn: log, error: log };
    const mailer = new Mailer('Acme', languagesOf('Acme', logger), logger);
    const send = (content: unknown, from?: string) =>
      mailer.sendMail('email_code', 'ada@example.com', { sender, from }, () => content as EmailContent, {});
    return { send, sent, logged, mailer, sender };
  }

  it('Mailer passes the message and its kind to the sender', async () => {
    const { send, sent } = mailerWith();
    await send(good);
    await send(good, 'Acme <no-reply@acme.test>');
    expect(sent).toEqual([
      { to: 'ada@example.com', kind: 'email_code', headers, ...good },
      { to: 'ada@example.com', kind: 'email_code', headers, from: 'Acme <no-reply@acme.test>', ...good },
    ]);
  });

  //
  it.each([
    ['a line feed in its subject', { ...good, subject: 'Hello\nBcc: attacker@evil.com' }],
    ['a carriage return in its subject', { ...good, subject: 'Hello\rBcc: attacker@evil.com' }],
    ['U+0000 in its subject', { ...good, subject: 'Hello\0' }],
    ['a subject of 201 characters', { ...good, subject: 'x'.repeat(201) }],
    ['a file instead of its text', { ...good, text: { path: '/etc/hostname' } }],
    ['a URL instead of its HTML', { ...good, html: { href: 'http://169.254.169.254/' } }],
    ['a subject that is not a string', { ...good, subject: 1 }],
    ['no text', { subject: 'Hello', html: '<p>Hello</p>' }],
    ['no HTML', { subject: 'Hello', text: 'Hello' }],
    ['nothing', undefined],
    ['a promise that resolves to undefined', Promise.resolve(undefined)],
  ])('Mailer does not send a mail with %s', async (_name, content) => {
    const { send, sent } = mailerWith();
    expect(await outcomeOf(() => send(content))).toBe('email_send_failed');
    expect(sent).toEqual([]);
  });

  //
  it('Mailer sends a subject of 200 characters', async () => {
    const { send, sent } = mailerWith();
    await send({ ...good, subject: 'x'.repeat(200) });
    expect(sent).toHaveLength(1);
  });

  it('Mailer throws email_send_failed with the cause if the sender or the template fails', async () => {
    const cause = new Error('connection refused');
    const { send, mailer, sender } = mailerWith(() => Promise.reject(cause));
    expect(await errorOf(() => send(good))).toMatchObject({ code: 'email_send_failed', cause });
    const template = () => {
      throw cause;
    };
    const call = () => mailer.sendMail('email_code', 'ada@example.com', { sender }, template, {});
    expect(await errorOf(call)).toMatchObject({ code: 'email_send_failed', cause });
  });

  //
  it('a failed mail is logged without its address and its text', async () => {
    const failure = Object.assign(new Error('550 <ada@example.com> unknown'), {
      response: 'Your code is 012345',
    });
    const { send, logged } = mailerWith(() => Promise.reject(failure));
    await errorOf(() => send({ ...good, text: 'Your code is 012345' }));
    expect(logged).toHaveLength(1);
    expect(JSON.stringify(logged)).toContain('a***@example.com');
    expect(JSON.stringify(logged)).not.toMatch(/ada@|012345/);
  });

  it.each(Object.entries(malformedErrors))(
    'Mailer throws email_send_failed and withdraws the code or link if the sender throws %s',
    async (_name, make) => {
      const { mailer, logged } = mailerWith();
      const sender = { send: async () => throwMalformed(make) };
      let withdrawn = 0;
      const withdraw = async () => void (withdrawn += 1);
      const call = () =>
        mailer.sendMail('email_code', 'ada@example.com', { sender }, () => good, {}, withdraw);
      expect(await outcomeOf(call)).toBe('email_send_failed');
      expect([withdrawn, logged.length]).toEqual([1, 1]);
    },
  );

  it('a failed message is withdrawn even if the logger fails', async () => {
    const logger = {
      ...silentLogger,
      error() {
        throw new Error('disk full');
      },
    };
    const sender = { send: () => Promise.reject(new Error('refused')) };
    let withdrawn = 0;
    const withdraw = async () => void (withdrawn += 1);
    const languages = languagesOf('Acme', logger);
    const [mails, sms] = [new Mailer('Acme', languages, logger), new SmsMailer(languages, logger)];
    await errorOf(() =>
      mails.sendMail('email_code', 'ada@example.com', { sender }, () => good, {}, withdraw),
    );
    await errorOf(() => sms.sendSms('+4915112345678', sender, () => 'Your code is 012345', {}, withdraw));
    expect(withdrawn).toBe(2);
  });

  it('Mailer sends the values that it has checked, even if a getter returns others later', async () => {
    const { send, sent } = mailerWith();
    let reads = 0;
    const changing = {
      ...good,
      get text() {
        reads += 1;
        return reads === 1 ? 'Hello' : { path: '/etc/hostname' };
      },
    };
    await send(changing);
    expect(sent).toEqual([expect.objectContaining({ text: 'Hello' })]);
  });

  it('Mailer waits at most half a minute for a sender', async () => {
    jest.useFakeTimers();
    try {
      const { send } = mailerWith(() => new Promise(() => undefined));
      const outcome = outcomeOf(() => send(good));
      await jest.advanceTimersByTimeAsync(30_000);
      expect(await outcome).toBe('email_send_failed');
      expect(jest.getTimerCount()).toBe(0);
    } finally {
      jest.useRealTimers();
    }
  });

  it('Mailer leaves no timer that would keep the process alive', async () => {
    jest.useFakeTimers();
    try {
      await mailerWith().send(good);
      expect(jest.getTimerCount()).toBe(0);
    } finally {
      jest.useRealTimers();
    }
  });
});
