/** T6: what a response must not reveal about an address. */
import type { EmailSender } from 'svc-auth';
import type { OpenSite } from '../matrix.js';
import type { HttpResponse } from '../../support/http-client.js';
import { failingAdapter, type FailingAdapter } from '../../support/failing-adapter.js';

/** The status, the headers in their order and the body, byte by byte, without the date. */
function bytesOf({ status, headers, text }: HttpResponse): string {
  const { date: _, ...others } = headers;
  return JSON.stringify([status, others, text]);
}

export function uniformity(open: OpenSite): void {
  describe('uniform responses', () => {
    //
    it('POST /password/login responds byte for byte the same to an unknown address, a wrong password and an account without one', async () => {
      const site = await open();
      const account = await site.signUp();
      const passwordless = await site.signInByCode();
      const addresses = [account.email, passwordless.email, site.uniqueEmail()];
      for (const password of ['a wrong password', '', 'x'.repeat(2_000), 'null\0byte']) {
        const responses = [];
        for (const email of addresses)
          responses.push(await site.post('/password/login', { email, password }));
        expect(responses[0]).toMatchObject({ status: 401, json: { error: 'invalid_credentials' } });
        expect(responses[0]!.cookies).toEqual([]);
        expect(new Set(responses.map(bytesOf)).size).toBe(1);
      }
    });

    //
    it('POST /password/login responds the same at the limit, with and without an account', async () => {
      const site = await open();
      const { email } = await site.signUp();
      const responses = [];
      for (const address of [email, site.uniqueEmail()]) {
        for (let i = 0; i < 10; i += 1)
          await site.post('/password/login', { email: address, password: 'wrong' });
        responses.push(await site.post('/password/login', { email: address, password: 'wrong' }));
      }
      expect(responses[0]!.status).toBe(429);
      expect(bytesOf(responses[0]!)).toBe(bytesOf(responses[1]!));
    });

    //
    it('sends and wrong codes get the same response, with and without an account', async () => {
      const site = await open();
      const { email: known } = await site.signUp();
      const unknown = site.uniqueEmail();
      for (const route of ['/email-code/send', '/magic-link/send']) {
        const [a, b] = [await site.post(route, { email: known }), await site.post(route, { email: unknown })];
        expect(a.status).toBe(200);
        expect(bytesOf(a)).toBe(bytesOf(b));
      }
      const wrong = (email: string) => (site.mail.lastCode(email) === '000000' ? '111111' : '000000');
      const responses = [];
      for (const email of [known, unknown]) {
        responses.push(await site.post('/email-code/verify', { email, code: wrong(email) }));
      }
      expect(bytesOf(responses[0]!)).toBe(bytesOf(responses[1]!));
    });

    //
    it('POST /password/request-reset returns the same 200 for a known, an unknown and a malformed address', async () => {
      const site = await open();
      const account = await site.signUp();
      const passwordless = await site.signInByCode();
      const before = site.mail.messages.length;
      const responses = [];
      for (const email of [
        account.email,
        passwordless.email,
        site.uniqueEmail(),
        '',
        'no address',
        'a@b',
        `${account.email},eve@evil.test`,
        `${account.email}\r\nBcc: eve@evil.test`,
        'x'.repeat(10_000),
        '\ud800@example.com',
      ]) {
        responses.push(await site.post('/password/request-reset', { email }));
      }
      await site.settle();
      expect(responses[0]!.json).toEqual({ sent: true });
      expect(new Set(responses.map(bytesOf)).size).toBe(1);
      const recipients = site.mail.messages.slice(before).map(({ to }) => to);
      expect(recipients.sort()).toEqual([account.email, passwordless.email].sort());
    });

    //
    it('POST /password/request-reset returns the same response beyond the limit, and sends no mail', async () => {
      const site = await open();
      const { email } = await site.signUp();
      const responses = [];
      for (let i = 0; i < 8; i += 1) {
        responses.push(await site.post('/password/request-reset', { email }));
        await site.settle();
      }
      expect(new Set(responses.map(bytesOf)).size).toBe(1);
      expect(site.mail.messages.filter(({ kind }) => kind === 'password_reset')).toHaveLength(5);
    });

    // T6
    it('POST /password/request-reset does not reveal a failing sender, and the mail does not count toward the limit', async () => {
      let down = true;
      const sent: string[] = [];
      const sender: EmailSender = {
        async send({ to }) {
          if (down) throw new Error('550 no such mailbox');
          sent.push(to);
        },
      };
      const rateLimit = { maxPerWindow: 1, windowMs: 900_000 };
      const site = await open({ service: { rateLimit, providers: { emailPassword: { sender } } } });
      const { email } = await site.signUp();
      const responses = [];
      for (const address of [email, site.uniqueEmail(), email]) {
        responses.push(await site.post('/password/request-reset', { email: address }));
        await site.settle();
      }
      expect(responses[0]).toMatchObject({ status: 200, json: { sent: true } });
      expect(new Set(responses.map(bytesOf)).size).toBe(1);
      expect(site.log.some(({ fields }) => fields['event'] === 'mail_failed')).toBe(true);
      down = false;
      await site.post('/password/request-reset', { email });
      await site.settle();
      expect(sent).toEqual([email]);
    });

    // T6
    it('POST /password/request-reset does not reveal a failing store, which is logged', async () => {
      let store: FailingAdapter | undefined;
      const site = await open({ wrapAdapter: (adapter) => (store = failingAdapter(adapter)).adapter });
      const { email } = await site.signUp();
      const beforeFailure = await site.post('/password/request-reset', { email });
      await site.settle();
      store!.fail();
      const responses = [beforeFailure];
      for (const address of [email, site.uniqueEmail()]) {
        responses.push(await site.post('/password/request-reset', { email: address }));
        await site.settle();
      }
      expect(new Set(responses.map(bytesOf)).size).toBe(1);
      expect(JSON.stringify(site.log.filter(({ level }) => level === 'error'))).toContain('ECONNREFUSED');
      expect(site.mail.messages).toHaveLength(1);
    });

    // T6
    it('POST /password/request-reset responds without waiting for the sender or the store', async () => {
      let store: FailingAdapter | undefined;
      let release: () => void = () => undefined;
      const pending = new Promise<void>((resolve) => (release = resolve));
      const sender: EmailSender = { send: () => pending };
      const site = await open({
        wrapAdapter: (adapter) => (store = failingAdapter(adapter)).adapter,
        service: { providers: { emailPassword: { sender } } },
      });
      const { email } = await site.signUp();
      // The sender never finishes: the client times out after five seconds.
      expect((await site.post('/password/request-reset', { email })).json).toEqual({ sent: true });
      release();
      await site.settle();
      // The store does not finish either; `fail` lets the background work end.
      store!.fail();
      expect((await site.post('/password/request-reset', { email })).json).toEqual({ sent: true });
    });

    //
    it('malformed addresses are never logged in full', async () => {
      const site = await open();
      for (const email of ['ada.lovelace@example', 'ada lovelace@example.com', 'x'.repeat(500)]) {
        await site.post('/password/request-reset', { email });
        await site.post('/email-code/send', { email });
        await site.post('/password/login', { email, password: 'some password' });
      }
      await site.settle();
      expect(JSON.stringify(site.log)).not.toMatch(/lovelace|x{100}/);
    });
  });
}
