/** Issue "Bad input", A-92, A-93, T6: what shows, and what does not, when the store or the sender fails. */
import type { EmailMessage, EmailSender } from 'svc-auth';
import type { OpenSite } from '../matrix.js';
import { failingAdapter, outage, type FailingAdapter } from '../../support/failing-adapter.js';
import { goodPassword } from '../../support/http-site.js';
import { expectError, expectRedirect, expectTooMany } from './expect.js';

const minute = 60_000;

/** A sender that refuses as long as `reason` is set. */
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

  describe('failures', () => {
    it('a failing store is 500 internal_error on every route that asks it, and everything works again when it is back', async () => {
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
        ['/password/signup', { email: site.address(), password }],
        ['/password/login', { email, password }],
        ['/password/reset', { token, newPassword: 'a new password' }],
      ];

      store.fail();
      const sent = site.mail.messages.length;
      for (const [route, body] of calls) {
        const answer = await site.post(route, body);
        expectError(answer, 500, 'internal_error');
        expect(answer.text).not.toMatch(/ECONNREFUSED|db\.internal|svc_owner/);
      }
      expectError(await site.get('/session', { cookie }), 500, 'internal_error');
      expectRedirect(await site.get(link), '/?error=internal_error');
      // Without a session, or with one that its signature refutes, there is nothing to ask.
      expectError(await site.get('/session'), 401, 'token_invalid');
      expectError(await site.get('/session', { cookie: 'svc_session=a.b.c' }), 401, 'token_invalid');
      expect((await site.post('/logout')).status).toBe(200);
      await site.settle();
      expect(site.mail.messages).toHaveLength(sent);

      store.mend();
      expect((await site.get('/session', { cookie })).status).toBe(200);
      expect((await site.post('/email-code/verify', { email, code }, { cookie })).status).toBe(200);
      expectRedirect(await site.get(link), '/', { signedIn: true });
      expect((await site.post('/password/login', { email, password })).status).toBe(200);
      const reset = await site.post('/password/reset', { token, newPassword: 'a new password' });
      expect(reset.status).toBe(200);
    });

    it('a failing store: the cause goes to the logger, once per request, and nothing of it into the answer', async () => {
      const { site, store } = await openOnFailingStore();
      store.fail();
      await site.post('/password/login', { email: site.address(), password: goodPassword });
      const errors = site.log.filter(({ level }) => level === 'error');
      expect(errors).toHaveLength(1);
      expect(JSON.stringify(errors[0])).toContain(outage);
      expect(JSON.stringify(errors[0])).toContain('ECONNREFUSED');
    });

    it('a failing store behind requireSession is 500 internal_error as well, not a sign-out', async () => {
      const { site, store } = await openOnFailingStore();
      const { cookie } = await site.signUp();
      store.fail();
      const answer = await site.get('/session', { cookie });
      expectError(answer, 500, 'internal_error');
      expect(answer.cookies).toEqual([]);
    });

    it('logout with a failing store clears the cookie all the same, and does not claim that the session has ended', async () => {
      const { site, store } = await openOnFailingStore();
      const { cookie } = await site.signUp();
      store.fail();
      const answer = await site.post('/logout', undefined, { cookie });
      expect([answer.status, answer.json.error]).toEqual([500, 'internal_error']);
      expect(answer.cookies).toMatchObject([{ name: 'svc_session', value: '' }]);
      store.mend();
      await site.post('/logout', undefined, { cookie });
      expect((await site.get('/session', { cookie })).status).toBe(401);
    });

    it('a store that fails at the session alone signs nobody in, and the account is there afterwards', async () => {
      const { site, store } = await openOnFailingStore();
      const email = site.address();
      store.fail('sessions.start');
      const answer = await site.post('/password/signup', { email, password: goodPassword });
      expectError(answer, 500, 'internal_error');
      store.mend();
      expect((await site.post('/password/login', { email, password: goodPassword })).status).toBe(200);
    });

    it('a login that the store could not judge is no failed login', async () => {
      const { site, store } = await openOnFailingStore();
      const { email, password } = await site.signUp();
      store.fail('users.findByEmail');
      for (let i = 0; i < 12; i += 1) {
        const answer = await site.post('/password/login', { email, password });
        expectError(answer, 500, 'internal_error');
      }
      store.mend();
      expect((await site.post('/password/login', { email, password })).status).toBe(200);
    });

    it('a failing sender is 500 email_send_failed and is not charged', async () => {
      const { site, sender } = await openWithSender({ maxPerWindow: 2, windowMs: 15 * minute });
      for (const route of ['/email-code/send', '/magic-link/send']) {
        const email = site.address();
        sender.reason = new Error('550 mailbox unavailable');
        for (let i = 0; i < 6; i += 1) {
          const answer = await site.post(route, { email });
          expectError(answer, 500, 'email_send_failed');
          expect(answer.text).not.toContain('550');
        }
        sender.reason = undefined;
        for (let i = 0; i < 2; i += 1) expect((await site.post(route, { email })).status).toBe(200);
        expectTooMany(await site.post(route, { email }), 15 * minute);
      }
    });

    it('a failing sender leaves no code behind that somebody could guess', async () => {
      const { site, sender } = await openWithSender();
      const email = site.address();
      sender.reason = new Error('down');
      await site.post('/email-code/send', { email });
      expectError(await site.post('/email-code/verify', { email, code: '123456' }), 401, 'code_not_found');
    });

    it('whatever a sender throws, and a template that throws or returns no text, is email_send_failed', async () => {
      const { site, sender } = await openWithSender();
      for (const reason of ['a text', null, 42, {}, new TypeError('x'), Object.create(null)]) {
        sender.reason = reason;
        expectError(await site.post('/email-code/send', { email: site.address() }), 500, 'email_send_failed');
      }
      const faults: (() => never)[] = [
        () => {
          throw new Error('a fault of the template');
        },
        (() => ({ subject: 'x', html: { path: '/etc/hostname' }, text: 'x' })) as never,
        (() => undefined) as never,
        (() => ({ subject: 'x\r\nBcc: eve@evil.test', html: 'x', text: 'x' })) as never,
      ];
      for (const template of faults) {
        const other = await open({ service: { providers: { emailCode: { template } } } });
        const answer = await other.post('/email-code/send', { email: other.address() });
        expectError(answer, 500, 'email_send_failed');
        expect(other.mail.messages).toEqual([]);
      }
    });

    it('A-93: the logger knows why a sender failed, and gets neither the address nor the mail from it', async () => {
      const { site, sender } = await openWithSender();
      for (const route of ['/email-code/send', '/magic-link/send']) {
        const email = site.address();
        // As SMTP servers answer: over several lines, with the address in each; and as HTTP clients attach a request.
        sender.reason = Object.assign(
          new Error(`550-5.1.1 <${email}> does not exist.\r\n550 5.1.1 try ${email} again`),
          { code: 'EENVELOPE', response: `550 ${email}`, config: { data: email }, rejected: [email] },
        );
        await site.post(route, { email });
        const entry = site.log.filter(({ level }) => level === 'error').at(-1);
        expect(JSON.stringify(entry)).toContain('550-5.1.1');
        expect(JSON.stringify(entry)).not.toContain(email);
      }
    });

    it('A-93: an error that quotes the mail does not carry the code or the link into the log', async () => {
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
      await site.post('/email-code/send', { email: site.address() });
      await site.post('/magic-link/send', { email: site.address() });
      expect(quoting.quoted).toHaveLength(2);
      for (const secret of quoting.quoted) expect(JSON.stringify(site.log)).not.toContain(secret);
    });

    it('A-92: an error of the application behind a guard is not the routes’ to answer, one of theirs shows no stack', async () => {
      const { site, store } = await openOnFailingStore();
      const { cookie } = await site.signUp();
      store.fail();
      for (const answer of [
        await site.get('/session', { cookie }),
        await site.post('/email-code/send', { email: site.address() }),
      ]) {
        expect(Object.keys(answer.json)).toEqual(['error', 'message']);
        expect(answer.text).not.toMatch(/Error|\bat |\/src\/|stack/);
      }
    });
  });
}
