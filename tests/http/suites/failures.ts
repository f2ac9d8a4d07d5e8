/** Issue "Bad input", A-92, A-93, T6: what a response reveals if the store or the sender fails. */
import type { Express, NextFunction, Request, Response } from 'express';
import type { EmailMessage, EmailSender } from 'svc-auth';
import type { OpenSite } from '../matrix.js';
import { failingAdapter, outageMessage, type FailingAdapter } from '../../support/failing-adapter.js';
import { validPassword } from '../../support/http-site.js';
import { expectError, expectRedirect, expectTooMany } from './expect.js';

const minute = 60_000;

/** A sender that fails while `reason` is set. */
function fragileSender(): EmailSender & { sent: EmailMessage[]; reason: unknown } {
  return {
    sent: [],
    reason: undefined,
    async send(message) {
      // eslint-disable-next-line @typescript-eslint/only-throw-error -- senders may throw anything
      if (this.reason !== undefined) throw this.reason;
      this.sent.push(message);
    },
  };
}

export function failures(open: OpenSite): void {
  async function openOnFailingStore() {
    let store: FailingAdapter | undefined;
    const site = await open({ wrapAdapter: (adapter) => (store = failingAdapter(adapter)).adapter });
    return { site, store: store! };
  }

  const openWithSender = async (rateLimit = { maxPerWindow: 5, windowMs: 15 * minute }) => {
    const sender = fragileSender();
    const site = await open({
      service: {
        rateLimit,
        providers: { emailCode: { sender }, magicLink: { sender }, emailPassword: { sender } },
      },
    });
    return { site, sender };
  };

  describe('failures of the store and the sender', () => {
    it('a failing store causes 500 internal_error on every route that queries it, until the store recovers', async () => {
      const { site, store } = await openOnFailingStore();
      const { email, password, cookie } = await site.signUp();
      await site.post('/email-code/send', { email });
      const code = site.mail.lastCode(email);
      await site.post('/magic-link/send', { email });
      const link = `/magic-link/verify?token=${site.mailedToken(email)}`;
      await site.post('/password/request-reset', { email });
      await site.settle();
      const token = site.mailedToken(email);
      const calls: [string, object][] = [
        ['/email-code/send', { email }],
        ['/email-code/verify', { email, code }],
        ['/magic-link/send', { email }],
        ['/password/signup', { email: site.uniqueEmail(), password }],
        ['/password/login', { email, password }],
        ['/password/reset', { token, newPassword: 'a new password' }],
      ];

      store.fail();
      const sent = site.mail.messages.length;
      for (const [route, body] of calls) {
        const response = await site.post(route, body);
        expectError(response, 500, 'internal_error');
        expect(response.text).not.toMatch(/ECONNREFUSED|db\.internal|svc_owner/);
      }
      expectError(await site.get('/session', { cookie }), 500, 'internal_error');
      expectRedirect(await site.get(link), '/?error=internal_error');
      // Without a session, or with an invalid signature, the store is not queried.
      expectError(await site.get('/session'), 401, 'token_invalid');
      expectError(await site.get('/session', { cookie: 'svc_session=a.b.c' }), 401, 'token_invalid');
      expect((await site.post('/logout')).status).toBe(200);
      await site.settle();
      expect(site.mail.messages).toHaveLength(sent);

      store.recover();
      expect((await site.get('/session', { cookie })).status).toBe(200);
      expect((await site.post('/email-code/verify', { email, code }, { cookie })).status).toBe(200);
      expectRedirect(await site.get(link), '/', { signedIn: true });
      expect((await site.post('/password/login', { email, password })).status).toBe(200);
      const reset = await site.post('/password/reset', { token, newPassword: 'a new password' });
      expect(reset.status).toBe(200);
    });

    it('the cause of a failing store is logged once per request and is not part of the response', async () => {
      const { site, store } = await openOnFailingStore();
      store.fail();
      await site.post('/password/login', { email: site.uniqueEmail(), password: validPassword });
      const errors = site.log.filter(({ level }) => level === 'error');
      expect(errors).toHaveLength(1);
      expect(JSON.stringify(errors[0])).toContain(outageMessage);
      expect(JSON.stringify(errors[0])).toContain('ECONNREFUSED');
    });

    it('GET /session returns 500 internal_error if the store fails, and does not sign the user out', async () => {
      const { site, store } = await openOnFailingStore();
      const { cookie } = await site.signUp();
      store.fail();
      const response = await site.get('/session', { cookie });
      expectError(response, 500, 'internal_error');
      expect(response.cookies).toEqual([]);
    });

    it('POST /logout with a failing store clears the cookie and returns 500, because the session has not ended', async () => {
      const { site, store } = await openOnFailingStore();
      const { cookie } = await site.signUp();
      store.fail();
      const response = await site.post('/logout', undefined, { cookie });
      expect([response.status, response.json.error]).toEqual([500, 'internal_error']);
      expect(response.cookies).toMatchObject([{ name: 'svc_session', value: '' }]);
      store.recover();
      await site.post('/logout', undefined, { cookie });
      expect((await site.get('/session', { cookie })).status).toBe(401);
    });

    it('POST /password/signup with a store that fails to start a session returns 500 and creates no account, so it can be repeated', async () => {
      const { site, store } = await openOnFailingStore();
      const input = { email: site.uniqueEmail(), password: validPassword };
      store.fail('sessions.startWithUser');
      expectError(await site.post('/password/signup', input), 500, 'internal_error');
      store.recover();
      expect((await site.post('/password/login', input)).status).toBe(401);
      expect((await site.post('/password/signup', input)).status).toBe(200);
    });

    it('a login that fails because of the store does not count as a failed login', async () => {
      const { site, store } = await openOnFailingStore();
      const { email, password } = await site.signUp();
      store.fail(store.adapter.fastPaths ? 'fastPaths.correctAndStart' : 'sessions.start');
      for (let i = 0; i < 12; i += 1) {
        const response = await site.post('/password/login', { email, password });
        expectError(response, 500, 'internal_error');
      }
      store.recover();
      expect((await site.post('/password/login', { email, password })).status).toBe(200);
    });

    it('a failing sender causes 500 email_send_failed and does not count toward the limit', async () => {
      const { site, sender } = await openWithSender({ maxPerWindow: 2, windowMs: 15 * minute });
      for (const route of ['/email-code/send', '/magic-link/send']) {
        const email = site.uniqueEmail();
        sender.reason = new Error('550 mailbox unavailable');
        for (let i = 0; i < 6; i += 1) {
          const response = await site.post(route, { email });
          expectError(response, 500, 'email_send_failed');
          expect(response.text).not.toContain('550');
        }
        sender.reason = undefined;
        for (let i = 0; i < 2; i += 1) expect((await site.post(route, { email })).status).toBe(200);
        expectTooMany(await site.post(route, { email }), 15 * minute);
      }
    });

    it('a failing sender leaves no code that an attacker could guess', async () => {
      const { site, sender } = await openWithSender();
      const email = site.uniqueEmail();
      sender.reason = new Error('down');
      await site.post('/email-code/send', { email });
      expectError(await site.post('/email-code/verify', { email, code: '123456' }), 401, 'code_not_found');
    });

    it('any value that a sender throws, and a template that throws or returns an invalid mail, causes 500 email_send_failed', async () => {
      const { site, sender } = await openWithSender();
      for (const reason of ['a string', null, 42, {}, new TypeError('x'), Object.create(null)]) {
        sender.reason = reason;
        expectError(
          await site.post('/email-code/send', { email: site.uniqueEmail() }),
          500,
          'email_send_failed',
        );
      }
      const faults: (() => never)[] = [
        () => {
          throw new Error('an error of the template');
        },
        (() => ({ subject: 'x', html: { path: '/etc/hostname' }, text: 'x' })) as never,
        (() => undefined) as never,
        (() => ({ subject: 'x\r\nBcc: eve@evil.test', html: 'x', text: 'x' })) as never,
      ];
      for (const template of faults) {
        const other = await open({ service: { providers: { emailCode: { template } } } });
        const response = await other.post('/email-code/send', { email: other.uniqueEmail() });
        expectError(response, 500, 'email_send_failed');
        expect(other.mail.messages).toEqual([]);
      }
    });

    //
    it('the reason of a failing sender is logged without the address and the mail', async () => {
      const { site, sender } = await openWithSender();
      for (const route of ['/email-code/send', '/magic-link/send']) {
        const email = site.uniqueEmail();
        // As SMTP servers respond, over several lines with the address in each, and as HTTP clients
        // attach a request.
        sender.reason = Object.assign(
          new Error(`550-5.1.1 <${email}> does not exist.\r\n550 5.1.1 try ${email} again`),
          { code: 'EENVELOPE', response: `550 ${email}`, config: { data: email }, rejected: [email] },
        );
        await site.post(route, { email });
        const entry = site.log.filter(({ fields }) => fields['event'] === 'mail_failed').at(-1);
        expect(JSON.stringify(entry)).toContain('550-5.1.1');
        expect(JSON.stringify(entry)).not.toContain(email);
      }
    });

    //
    it('an error that quotes the mail is logged without its code and its link', async () => {
      const quoting: EmailSender & { quoted: string[] } = {
        quoted: [],
        async send({ text }) {
          this.quoted.push(...(/^\d{6}$|(?<=token=)\S+/m.exec(text) ?? []));
          throw new Error(`could not deliver: ${text}`);
        },
      };
      const site = await open({
        service: { providers: { emailCode: { sender: quoting }, magicLink: { sender: quoting } } },
      });
      await site.post('/email-code/send', { email: site.uniqueEmail() });
      await site.post('/magic-link/send', { email: site.uniqueEmail() });
      expect(quoting.quoted).toHaveLength(2);
      for (const secret of quoting.quoted) expect(JSON.stringify(site.log)).not.toContain(secret);
    });

    //
    it('an error while an error response is sent reaches the error handler of the application', async () => {
      const errors: unknown[] = [];
      const before = (app: Express) => {
        app.use((_req, res, next) => {
          res.setHeader = () => {
            throw new Error('a header of the application');
          };
          next();
        });
      };
      const after = (app: Express) => {
        app.use((error: Error, _req: Request, res: Response, _next: NextFunction) => {
          errors.push(error.message);
          res.writeHead(503).end('{}');
        });
      };
      const { origin } = await open({ before, after });
      const headers = { 'content-type': 'application/json' };
      for (const path of ['/logout', '/logout/', '/password/login']) {
        const response = await fetch(`${origin}/api/auth${path}`, { method: 'POST', headers, body: '{}' });
        expect(response.status).toBe(503);
      }
      expect((await fetch(`${origin}/api/auth/session`)).status).toBe(503);
      expect(errors).toEqual(Array(4).fill('a header of the application'));
    });

    //
    it('an error response of the routes contains no stack', async () => {
      const { site, store } = await openOnFailingStore();
      const { cookie } = await site.signUp();
      store.fail();
      for (const response of [
        await site.get('/session', { cookie }),
        await site.post('/email-code/send', { email: site.uniqueEmail() }),
      ]) {
        expect(Object.keys(response.json)).toEqual(['error', 'message']);
        expect(response.text).not.toMatch(/Error|\bat |\/src\/|stack/);
      }
    });
  });
}
