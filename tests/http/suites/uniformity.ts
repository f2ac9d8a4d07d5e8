/** T6: what an answer must not tell of an address. */
import type { EmailSender } from 'svc-auth';
import type { OpenSite } from '../matrix.js';
import type { Answer } from '../../support/http-client.js';
import { failingAdapter, type FailingAdapter } from '../../support/failing-adapter.js';

/** Status, headers in their order, and body, byte by byte; the date is the clock's. */
function bytesOf({ status, headers, text }: Answer): string {
  const { date: _, ...others } = headers;
  return JSON.stringify([status, others, text]);
}

export function uniformity(open: OpenSite): void {
  describe('uniformity', () => {
    it('A-13: unknown address, wrong password and account without a password are one login answer, byte by byte', async () => {
      const site = await open();
      const known = await site.signUp();
      const passwordless = await site.signInByCode();
      const addresses = [known.email, passwordless.email, site.address()];
      for (const password of ['a wrong password', '', 'x'.repeat(2_000), 'null\0byte']) {
        const answers = [];
        for (const email of addresses) answers.push(await site.post('/password/login', { email, password }));
        expect(answers[0]).toMatchObject({ status: 401, json: { error: 'invalid_credentials' } });
        expect(answers[0]!.cookies).toEqual([]);
        expect(new Set(answers.map(bytesOf)).size).toBe(1);
      }
    });

    it('A-13: when the limit is reached they are one answer as well', async () => {
      const site = await open();
      const { email } = await site.signUp();
      const answers = [];
      for (const address of [email, site.address()]) {
        for (let i = 0; i < 10; i += 1)
          await site.post('/password/login', { email: address, password: 'wrong' });
        answers.push(await site.post('/password/login', { email: address, password: 'wrong' }));
      }
      expect(answers[0]!.status).toBe(429);
      expect(bytesOf(answers[0]!)).toBe(bytesOf(answers[1]!));
    });

    it('A-13: sends and wrong codes are one answer for an account and for none', async () => {
      const site = await open();
      const { email: known } = await site.signUp();
      const unknown = site.address();
      for (const route of ['/email-code/send', '/magic-link/send']) {
        const [a, b] = [await site.post(route, { email: known }), await site.post(route, { email: unknown })];
        expect(a.status).toBe(200);
        expect(bytesOf(a)).toBe(bytesOf(b));
      }
      const wrong = (email: string) => (site.mail.lastCode(email) === '000000' ? '111111' : '000000');
      const answers = [];
      for (const email of [known, unknown]) {
        answers.push(await site.post('/email-code/verify', { email, code: wrong(email) }));
      }
      expect(bytesOf(answers[0]!)).toBe(bytesOf(answers[1]!));
    });

    it('A-37: request-reset is the same 200 { sent: true } for a known, an unknown, a malformed and an absurd address', async () => {
      const site = await open();
      const known = await site.signUp();
      const passwordless = await site.signInByCode();
      const before = site.mail.messages.length;
      const answers = [];
      for (const email of [
        known.email,
        passwordless.email,
        site.address(),
        '',
        'no address',
        'a@b',
        `${known.email},eve@evil.test`,
        `${known.email}\r\nBcc: eve@evil.test`,
        'x'.repeat(10_000),
        '\ud800@example.com',
      ]) {
        answers.push(await site.post('/password/request-reset', { email }));
      }
      await site.settle();
      expect(answers[0]!.json).toEqual({ sent: true });
      expect(new Set(answers.map(bytesOf)).size).toBe(1);
      const recipients = site.mail.messages.slice(before).map(({ to }) => to);
      expect(recipients.sort()).toEqual([known.email, passwordless.email].sort());
    });

    it('A-37: past the limit it is the same answer still, and no mail', async () => {
      const site = await open();
      const { email } = await site.signUp();
      const answers = [];
      for (let i = 0; i < 8; i += 1) {
        answers.push(await site.post('/password/request-reset', { email }));
        await site.settle();
      }
      expect(new Set(answers.map(bytesOf)).size).toBe(1);
      expect(site.mail.messages.filter(({ kind }) => kind === 'password_reset')).toHaveLength(5);
    });

    it('T6: a failing sender does not show on request-reset, and is not charged', async () => {
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
      const answers = [];
      for (const address of [email, site.address(), email]) {
        answers.push(await site.post('/password/request-reset', { email: address }));
        await site.settle();
      }
      expect(answers[0]).toMatchObject({ status: 200, json: { sent: true } });
      expect(new Set(answers.map(bytesOf)).size).toBe(1);
      expect(site.log.some(({ level }) => level === 'error')).toBe(true);
      down = false;
      await site.post('/password/request-reset', { email });
      await site.settle();
      expect(sent).toEqual([email]);
    });

    it('T6: nor does a failing store; the cause is in the logger', async () => {
      let store: FailingAdapter | undefined;
      const site = await open({ wrapAdapter: (adapter) => (store = failingAdapter(adapter)).adapter });
      const { email } = await site.signUp();
      const fine = await site.post('/password/request-reset', { email });
      await site.settle();
      store!.fail();
      const answers = [fine];
      for (const address of [email, site.address()]) {
        answers.push(await site.post('/password/request-reset', { email: address }));
        await site.settle();
      }
      expect(new Set(answers.map(bytesOf)).size).toBe(1);
      expect(JSON.stringify(site.log.filter(({ level }) => level === 'error'))).toContain('ECONNREFUSED');
      expect(site.mail.messages).toHaveLength(1);
    });

    it('T6: the answer waits for neither the sender nor the store', async () => {
      let store: FailingAdapter | undefined;
      let release: () => void = () => undefined;
      const pending = new Promise<void>((resolve) => (release = resolve));
      const sender: EmailSender = { send: () => pending };
      const site = await open({
        wrapAdapter: (adapter) => (store = failingAdapter(adapter)).adapter,
        service: { providers: { emailPassword: { sender } } },
      });
      const { email } = await site.signUp();
      // The sender never answers: the client gives up after five seconds.
      expect((await site.post('/password/request-reset', { email })).json).toEqual({ sent: true });
      release();
      await site.settle();
      // Nor does the store; `fail` lets the work in the background end.
      store!.fail();
      expect((await site.post('/password/request-reset', { email })).json).toEqual({ sent: true });
    });

    it('A-93: malformed addresses reach no log in full', async () => {
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
