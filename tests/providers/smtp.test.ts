// Every kind of mail, received by a real SMTP server (specification 6;
// docs/security-requirements.md A-85, fact 5, C-40).
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { smtpSender, type EmailMessage } from 'svc-auth';
import { startSmtpReceiver, type SmtpReceiver } from '../support/smtp-receiver.js';
import { makeService } from '../support/make-service.js';
import { errorOf, runInSequence, outcomeOf } from '../support/outcomes.js';

const email = 'ada@example.com';
const from = 'Acme <no-reply@acme.test>';
let smtp: SmtpReceiver;

beforeAll(async () => {
  smtp = await startSmtpReceiver();
});
beforeEach(() => {
  smtp.received.length = 0;
  smtp.refuse(false);
});
afterAll(() => smtp.close());

const sender = (options = {}) =>
  smtpSender({ host: '127.0.0.1', port: smtp.port, secure: false, ...options }, { from });

async function make(own = sender()) {
  const notifyTemplate = ({ appName }: { appName: string }) => ({
    subject: `Your ${appName} password was changed`,
    html: '<p>It was changed.</p>',
    text: 'It was changed.',
  });
  return makeService({
    appName: 'Acmé & Söhne',
    providers: {
      emailCode: { sender: own },
      magicLink: { sender: own },
      emailPassword: { sender: own, notifyTemplate },
    },
  });
}

/** Returns the only received mail, which must be addressed to `email` alone. */
function theMail() {
  expect(smtp.received).toHaveLength(1);
  const [{ recipients, sender: envelopeFrom, mail }] = smtp.received as [(typeof smtp.received)[0]];
  expect(recipients).toEqual([email]);
  expect(envelopeFrom).toBe('no-reply@acme.test');
  expect([mail.to].flat().map((each) => each?.text)).toEqual([email]);
  expect(mail.from?.text).toMatch(/Acme"? <no-reply@acme\.test>/);
  expect([mail.cc, mail.bcc]).toEqual([undefined, undefined]);
  expect(mail.attachments).toEqual([]);
  // RFC 3834, 5: no automatic reply.
  expect(mail.headers.get('auto-submitted')).toBe('auto-generated');
  return { subject: mail.subject ?? '', text: mail.text ?? '', html: mail.html || '' };
}

describe('a mail over SMTP', () => {
  it('delivers email_code, whose code signs in', async () => {
    const { service } = await make();
    await service.emailCode.sendCode({ email });
    const { subject, text, html } = theMail();
    const code = /^\d{6}$/m.exec(text)![0];
    expect(subject).toBe(`${code} is your sign-in code for Acmé & Söhne`);
    expect(html).toContain(code);
    expect(html).toContain('Acmé &#38; Söhne');
    expect((await service.emailCode.verify({ email, code })).user.email).toBe(email);
    await service.close();
  });

  it('delivers magic_link, whose link signs in, from the text and from the HTML', async () => {
    const { service } = await make();
    const { url } = await service.magicLink.sendLink({ email });
    const { subject, text, html } = theMail();
    expect(subject).toBe('Sign in to Acmé & Söhne');
    expect(/https:\/\/\S+/.exec(text)![0]).toBe(url);
    const href = /href="([^"]+)"/.exec(html)![1]!.replaceAll('&#38;', '&');
    expect(href).toBe(url);
    const token = new URL(href).searchParams.get('token')!;
    expect((await service.magicLink.verify(token)).user.email).toBe(email);
    await service.close();
  });

  it('delivers password_reset after the response, whose link sets the password, and then the notice', async () => {
    const { service } = await make();
    await service.emailPassword.signup({ email, password: 'password-1' });
    await service.emailPassword.requestReset({ email });
    expect(smtp.received).toEqual([]);
    await service.close();
    const { subject, text } = theMail();
    expect(subject).toBe('Choose a new password for Acmé & Söhne');
    const token = new URL(/https:\/\/\S+/.exec(text)![0]).searchParams.get('token')!;
    smtp.received.length = 0;
    await service.emailPassword.setPassword({ token, newPassword: 'password-2' });
    await service.close();
    const notice = theMail();
    expect(notice.subject).toBe('Your Acmé & Söhne password was changed');
    expect(notice.text.trim()).toBe('It was changed.');
  });

  it('arrives in two parts that say the same, with the brand in both', async () => {
    const own = sender();
    const { service } = await makeService({
      brand: { name: 'Acmé', accent: '#1f6b4f', supportUrl: 'https://acme.test/help' },
      providers: { magicLink: { sender: own } },
    });
    await service.magicLink.sendLink({ email });
    const [{ mail }] = smtp.received as [(typeof smtp.received)[0]];
    expect(mail.headers.get('content-type')).toMatchObject({ value: 'multipart/alternative' });
    const { text, html } = theMail();
    for (const sentence of [
      'Open this link to sign in to Acmé. It works once.',
      'You received this email because someone asked to sign in to Acmé with this email address.',
      'acme.test/help',
    ])
      expect([text.includes(sentence), html.includes(sentence)]).toEqual([true, true]);
    expect(html).toContain('bgcolor="#1f6b4f"');
    await own.close?.();
  });

  //
  it('shows no address in its text or HTML', async () => {
    const { service } = await make();
    await service.emailCode.sendCode({ email });
    const { subject, text, html } = theMail();
    expect(subject + text + html).not.toContain(email);
    await service.close();
  });

  it('uses the from of the provider', async () => {
    const own = sender();
    const { service } = await makeService({
      providers: { emailCode: { sender: own, from: 'Login <login@acme.test>' } },
    });
    await service.emailCode.sendCode({ email });
    expect(smtp.received[0]).toMatchObject({ sender: 'login@acme.test', recipients: [email] });
    await own.close?.();
  });
});

describe('an SMTP sender that fails', () => {
  it('rejects with email_send_failed, counts no message, and recovers with the server', async () => {
    const test = await make();
    smtp.refuse(true);
    const send = () => test.service.emailCode.sendCode({ email });
    expect(await runInSequence(8, send)).toEqual(Array(8).fill('email_send_failed'));
    expect(JSON.stringify(test.log)).not.toContain(email);
    expect(test.log.filter(({ fields }) => fields['event'] === 'mail_failed')).toHaveLength(8);
    smtp.refuse(false);
    expect(await outcomeOf(send)).toBe('ok');
    theMail();
    await test.service.close();
  });

  it('rejects with email_send_failed if no server listens', async () => {
    const gone = await startSmtpReceiver();
    await gone.close();
    const { service } = await make(sender({ port: gone.port }));
    expect(await outcomeOf(() => service.emailCode.sendCode({ email }))).toBe('email_send_failed');
    await service.close();
  });

  it('closes a sender before its first use, and twice', async () => {
    const own = sender();
    await own.close?.();
    await own.close?.();
  });

  it('closes its connections, and opens new ones when it is used again', async () => {
    const own = sender({ pool: true });
    const message: EmailMessage = { to: email, subject: 'S', html: 'H', text: 'T', kind: 'notice' };
    await own.send(message);
    expect(smtp.connections()).toBe(1);
    await own.close?.();
    for (let i = 0; i < 100 && smtp.connections() > 0; i += 1)
      await new Promise((resolve) => setImmediate(resolve));
    await own.send(message);
    expect(smtp.received).toHaveLength(2);
    await own.close?.();
  });

  it.each(['', '  ', undefined, null])('throws config_invalid without a from: %p', async (bad) => {
    const error = await errorOf(() => smtpSender({ host: '127.0.0.1' }, { from: bad as string }));
    expect(error).toMatchObject({ code: 'config_invalid' });
  });

  it('throws an error that names its arguments when it is called without them', async () => {
    const error = await errorOf(() => (smtpSender as () => unknown)());
    expect(error).toMatchObject({ code: 'config_invalid' });
    expect(error.message).toMatch(/nodemailer options[\s\S]*from/);
  });
});

describe('The recipient of smtpSender', () => {
  const send = (to: string, rest: object = {}) =>
    sender().send({ to, subject: 'S', html: 'H', text: 'T', kind: 'notice', ...rest });

  // The second check: the service rejects these addresses, and the sender must reject them, too.
  //
  it.each([
    'attacker@evil.com,victim@example.com',
    'victim@example.com,attacker@evil.com',
    'victim@example.com;attacker@evil.com',
    'victim@example.com <attacker@evil.com>',
    'attacker@evil.com <victim@example.com>',
    'victim@example.com\r\nBcc: attacker@evil.com',
    'victim@example.com\nBcc: attacker@evil.com',
    'victim@example.com\0@evil.com',
    'victim@example。com',
    '"victim@example.com"@evil.com',
    'group: attacker@evil.com, victim@example.com;',
    'victim@example.com>\r\nRCPT TO:<attacker@evil.com',
    '',
    'nobody',
  ])('fact 5 is only the requested address: %j', async (to) => {
    const error = await errorOf(() => send(to));
    expect(error).toBeInstanceOf(Error);
    expect(smtp.received).toEqual([]);
  });

  //
  it('sends to the address itself', async () => {
    await send("o'hara+tag@example.com");
    expect(smtp.received.map(({ recipients }) => recipients)).toEqual([["o'hara+tag@example.com"]]);
  });

  //
  it('adds no recipient from a header in the subject', async () => {
    await send(email, { subject: 'Hello\r\nBcc: attacker@evil.com\r\n\r\nbody' }).catch(() => undefined);
    for (const { recipients, mail } of smtp.received) {
      expect(recipients).toEqual([email]);
      expect(mail.bcc).toBeUndefined();
    }
  });

  // C-40
  it('receives no file and no page instead of a string', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-auth-smtp-'));
    const path = join(folder, 'secret.txt');
    writeFileSync(path, 'secret of this machine');
    let fetched = 0;
    const pages = createServer((_request, response) => response.end(`secret page ${(fetched += 1)}`));
    await new Promise<void>((resolve) => void pages.listen(0, '127.0.0.1', resolve));
    const href = `http://127.0.0.1:${(pages.address() as AddressInfo).port}/`;
    try {
      for (const rest of [{ text: { path } }, { html: { path } }, { text: { href } }, { html: { href } }]) {
        await send(email, rest).catch(() => undefined);
      }
      expect(smtp.received.map(({ mail }) => `${mail.text}${mail.html}`).join()).not.toContain('secret');
      expect(fetched).toBe(0);
    } finally {
      pages.closeAllConnections();
      await new Promise((resolve) => pages.close(resolve));
      rmSync(folder, { recursive: true });
    }
  });
});
