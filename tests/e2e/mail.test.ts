/** Each kind of mail end to end: requested over HTTP, delivered by SMTP, opened, and used over HTTP. */
import express from 'express';
import { memoryAdapter, smtpSender, type EmailSender } from 'svc-auth';
import type { ParsedMail } from 'mailparser';
import { validPassword, openSite, type Site } from '../support/http-site.js';
import { startSmtpReceiver, type SmtpReceiver } from '../support/smtp-receiver.js';

let smtp: SmtpReceiver;
let site: Site;
let sender: EmailSender;

beforeAll(async () => {
  smtp = await startSmtpReceiver();
  sender = smtpSender({ host: '127.0.0.1', port: smtp.port }, { from: 'Acme <no-reply@acme.test>' });
  // Contains HTML special characters and a non-ASCII character.
  const appName = 'Acme & Söhne <3';
  const providers = { emailCode: { sender }, magicLink: { sender }, emailPassword: { sender } };
  site = await openSite(express, memoryAdapter(), { service: { appName, providers } });
});

afterAll(async () => {
  await site?.close();
  await smtp?.close();
});

/** Waits for the mail to this address and expects it to be the only one after the first `since` mails. */
async function received(email: string, since: number): Promise<ParsedMail> {
  for (let tries = 0; tries < 6_000 && smtp.received.length <= since; tries += 1) {
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

/** Returns the link of a mail, which must be the same in its text and its HTML. */
function linkIn(mail: ParsedMail): URL {
  const link = /https:\S+/.exec(mail.text ?? '')![0];
  const href = /href="(https:[^"]+)"/.exec(String(mail.html))![1]!;
  expect(href.replaceAll('&amp;', '&')).toBe(link);
  return new URL(link);
}

it('signs in with the code of a mail', async () => {
  const email = site.uniqueEmail();
  const since = smtp.received.length;
  expect((await site.post('/email-code/send', { email })).status).toBe(200);
  const mail = await received(email, since);
  const code = /^\d{6}$/m.exec(mail.text ?? '')![0];
  expect(mail.html).toContain(code);
  expect(mail.text).toContain('10 minutes');
  const response = await site.post('/email-code/verify', { email, code });
  expect(response.json).toMatchObject({ user: { email, emailVerified: true }, created: true });
  expect((await site.get('/session', { cookie: response.cookie() })).status).toBe(200);
});

it('signs in once with the link of a mail', async () => {
  const email = site.uniqueEmail();
  const since = smtp.received.length;
  expect((await site.post('/magic-link/send', { email })).status).toBe(200);
  const mail = await received(email, since);
  expect(mail.text).toContain('15 minutes');
  const { origin, pathname, search } = linkIn(mail);
  expect([origin, pathname]).toEqual(['https://app.test', '/api/auth/magic-link/verify']);
  const response = await site.get(`/magic-link/verify${search}`);
  expect([response.status, response.location]).toEqual([302, '/']);
  const session = await site.get('/session', { cookie: response.cookie() });
  expect(session.json.user).toMatchObject({ email, emailVerified: true });
  expect((await site.get(`/magic-link/verify${search}`)).location).toBe('/?error=token_invalid');
});

it('resets the password with the link of a mail, after which only the new password works', async () => {
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
  expect((await site.post('/password/login', { email, password: validPassword })).status).toBe(401);
  expect((await site.post('/password/login', { email, password: 'a new password' })).status).toBe(200);
});

//
it('delivers no mail when a reset is requested for an unknown address', async () => {
  const since = smtp.received.length;
  expect((await site.post('/password/request-reset', { email: site.uniqueEmail() })).json).toEqual({
    sent: true,
  });
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(smtp.received).toHaveLength(since);
});

//
it('rejects an address with header lines, a second recipient or a comment before it reaches the mail server', async () => {
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

it('returns 500 email_send_failed when the mail server refuses, refunds the limit, and only logs the reason', async () => {
  const email = site.uniqueEmail();
  smtp.refuse(true);
  for (let i = 0; i < 6; i += 1) {
    const response = await site.post('/email-code/send', { email });
    expect([response.status, response.json.error]).toEqual([500, 'email_send_failed']);
    expect(response.text).not.toMatch(/mailbox|550/);
  }
  smtp.refuse(false);
  const errors = JSON.stringify(site.log.filter(({ fields }) => fields['event'] === 'mail_failed'));
  expect(errors).toContain('mailbox unavailable');
  expect(errors).not.toContain(email);
  const since = smtp.received.length;
  expect((await site.post('/email-code/send', { email })).status).toBe(200);
  await received(email, since);
});
