/** Each kind of mail on its whole way: asked for over HTTP, delivered by SMTP, opened, and used over HTTP. */
import express from 'express';
import { memoryAdapter, smtpSender, type EmailSender } from 'svc-auth';
import type { ParsedMail } from 'mailparser';
import { goodPassword, openSite, type Site } from '../support/http-site.js';
import { startSmtpReceiver, type SmtpReceiver } from '../support/smtp-receiver.js';

let smtp: SmtpReceiver;
let site: Site;
let sender: EmailSender;

beforeAll(async () => {
  smtp = await startSmtpReceiver();
  sender = smtpSender({ host: '127.0.0.1', port: smtp.port }, { from: 'Acme <no-reply@acme.test>' });
  // Characters that mean something in HTML, and some that are not ASCII.
  const appName = 'Acme & Söhne <3';
  const providers = { emailCode: { sender }, magicLink: { sender }, emailPassword: { sender } };
  site = await openSite(express, memoryAdapter(), { service: { appName, providers } });
});

afterAll(async () => {
  await site?.close();
  await smtp?.close();
});

/** The one mail that came to this address since `since`. */
async function received(email: string, since: number): Promise<ParsedMail> {
  for (let tries = 0; tries < 250 && smtp.received.length <= since; tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const mails = smtp.received.slice(since);
  expect(mails.map(({ recipients }) => recipients)).toEqual([[email]]);
  const { mail, sender: envelopeFrom } = mails[0]!;
  expect(envelopeFrom).toBe('no-reply@acme.test');
  expect(mail.from?.text).toBe('"Acme" <no-reply@acme.test>');
  expect(mail.subject).toContain('Acme & Söhne <3');
  expect(mail.html).toMatch(/Acme &(?:amp|#38); Söhne &(?:lt|#60);3/);
  return mail;
}

/** The link of a mail, the same in its text and in its HTML. */
function linkIn(mail: ParsedMail): URL {
  const link = /https:\S+/.exec(mail.text ?? '')![0];
  const href = /href="(https:[^"]+)"/.exec(String(mail.html))![1]!;
  expect(href.replaceAll('&amp;', '&')).toBe(link);
  return new URL(link);
}

it('a code: asked for, mailed, typed in, signed in', async () => {
  const email = site.address();
  const since = smtp.received.length;
  expect((await site.post('/email-code/send', { email })).status).toBe(200);
  const mail = await received(email, since);
  const code = /^\d{6}$/m.exec(mail.text ?? '')![0];
  expect(mail.html).toContain(code);
  expect(mail.text).toContain('10 minutes');
  const answer = await site.post('/email-code/verify', { email, code });
  expect(answer.json).toMatchObject({ user: { email, emailVerified: true }, created: true });
  expect((await site.get('/session', { cookie: answer.cookie() })).status).toBe(200);
});

it('a link: asked for, mailed, opened, signed in, once', async () => {
  const email = site.address();
  const since = smtp.received.length;
  expect((await site.post('/magic-link/send', { email })).status).toBe(200);
  const mail = await received(email, since);
  expect(mail.text).toContain('15 minutes');
  const { origin, pathname, search } = linkIn(mail);
  expect([origin, pathname]).toEqual(['https://app.test', '/api/auth/magic-link/verify']);
  const answer = await site.get(`/magic-link/verify${search}`);
  expect([answer.status, answer.location]).toEqual([302, '/']);
  const session = await site.get('/session', { cookie: answer.cookie() });
  expect(session.json.user).toMatchObject({ email, emailVerified: true });
  expect((await site.get(`/magic-link/verify${search}`)).location).toBe('/?error=token_invalid');
});

it('a reset: asked for, mailed, set, signed in with the new password alone', async () => {
  const { email } = await site.signUp();
  const since = smtp.received.length;
  expect((await site.post('/password/request-reset', { email })).json).toEqual({ sent: true });
  const mail = await received(email, since);
  expect(mail.text).toContain('30 minutes');
  const link = linkIn(mail);
  expect([link.origin, link.pathname]).toEqual(['https://app.test', '/reset']);
  const token = link.searchParams.get('token');
  const reset = await site.post('/password/reset', { token, newPassword: 'a new password' });
  expect(reset.status).toBe(200);
  expect((await site.post('/password/login', { email, password: goodPassword })).status).toBe(401);
  expect((await site.post('/password/login', { email, password: 'a new password' })).status).toBe(200);
});

it('A-37: a reset of an unknown address delivers nothing', async () => {
  const since = smtp.received.length;
  expect((await site.post('/password/request-reset', { email: site.address() })).json).toEqual({
    sent: true,
  });
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(smtp.received).toHaveLength(since);
});

it('A-85: an address with header lines, a second recipient or a comment in it never reaches the mail server', async () => {
  const since = smtp.received.length;
  const connections = smtp.connections();
  for (const email of [
    'ada@example.com\r\nRCPT TO:<eve@evil.test>',
    'ada@example.com,eve@evil.test',
    'Ada <eve@evil.test>',
    '"ada@example.com"@evil.test',
    'ada(eve@evil.test)@example.com',
    'ada\0@evil.test',
  ]) {
    for (const route of ['/email-code/send', '/magic-link/send']) {
      expect((await site.post(route, { email })).status).toBe(400);
    }
  }
  expect([smtp.received.length, smtp.connections()]).toEqual([since, connections]);
});

it('a mail server that refuses is email_send_failed, is not charged, and shows its reason to the logger alone', async () => {
  const email = site.address();
  smtp.refuse(true);
  for (let i = 0; i < 6; i += 1) {
    const answer = await site.post('/email-code/send', { email });
    expect([answer.status, answer.json.error]).toEqual([500, 'email_send_failed']);
    expect(answer.text).not.toMatch(/mailbox|550/);
  }
  smtp.refuse(false);
  const errors = JSON.stringify(site.log.filter(({ level }) => level === 'error'));
  expect(errors).toContain('mailbox unavailable');
  expect(errors).not.toContain(email);
  const since = smtp.received.length;
  expect((await site.post('/email-code/send', { email })).status).toBe(200);
  await received(email, since);
});
