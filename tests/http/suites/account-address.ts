/** POST /account/verify-email and /account/email with what belongs to them (docs/decisions/email-change.md). */
import { outbox } from 'svc-auth/testing';
import { goodPassword } from '../../support/http-site.js';
import { isIn, otherThan } from '../../support/people.js';
import type { OpenSite } from '../matrix.js';
import { expectError, expectTooMany, isoDate, userLike } from './expect.js';

export function accountAddress(open: OpenSite): void {
  const openPro = () => {
    const mail = outbox();
    return open({ pro: true, service: { mail, providers: { account: { sender: mail }, sessions: true } } });
  };
  const expiresAt = expect.stringMatching(isoDate) as string;
  describe('POST /account/verify-email', () => {
    it('verifies the address of who is signed in, by a code, and ends nothing', async () => {
      const site = await openPro();
      const { email, cookie } = await site.signUp();
      const elsewhere = (await site.post('/password/login', { email, password: goodPassword })).cookie();
      const sent = await site.post('/account/verify-email/send', undefined, { cookie });
      expect([sent.status, sent.json]).toEqual([200, { expiresAt }]);
      const code = site.mail.lastCode(email);
      expectError(
        await site.post('/account/verify-email', { code: otherThan(code) }, { cookie }),
        401,
        'code_invalid',
      );
      const answer = await site.post('/account/verify-email', { code }, { cookie });
      expect([answer.status, answer.json]).toEqual([200, { user: userLike({ email, emailVerified: true }) }]);
      expect(answer.cookies).toEqual([]);
      expect([await isIn(site, cookie), await isIn(site, elsewhere)]).toEqual([true, true]);
      expect((await site.post('/password/login', { email, password: goodPassword })).status).toBe(200);
    });

    it('of a verified one answers at once, and nothing is sent', async () => {
      const site = await openPro();
      const { email, cookie } = await site.signInByCode();
      site.mail.clear();
      const sent = await site.post('/account/verify-email/send', undefined, { cookie });
      expect([sent.status, sent.json]).toEqual([200, { expiresAt: null }]);
      expect(site.mail.messages).toEqual([]);
      const answer = await site.post('/account/verify-email', { code: '123456' }, { cookie });
      expect(answer.json).toEqual({ user: userLike({ email, emailVerified: true }) });
    });

    it('of a guest, who has none, is invalid_request', async () => {
      const site = await openPro();
      const cookie = (await site.post('/guest')).cookie();
      const sent = await site.post('/account/verify-email/send', undefined, { cookie });
      expectError(sent, 400, 'invalid_request');
      expectError(
        await site.post('/account/verify-email', { code: '123456' }, { cookie }),
        400,
        'invalid_request',
      );
    });

    it('is limited as other sends are', async () => {
      const site = await openPro();
      const { cookie } = await site.signUp();
      for (let i = 0; i < 5; i += 1) {
        expect((await site.post('/account/verify-email/send', undefined, { cookie })).status).toBe(200);
      }
      expectTooMany(await site.post('/account/verify-email/send', undefined, { cookie }), 15 * 60_000);
    });
  });

  describe('POST /account/email', () => {
    it('changes the address by both codes, ends every other session, and tells the old address', async () => {
      const site = await openPro();
      const { email: old, cookie, user } = await site.signInByCode();
      const { cookie: elsewhere } = await site.signInByCode(old);
      const email = site.address();
      const sent = await site.post('/account/email', { email }, { cookie });
      expect([sent.status, sent.json]).toEqual([200, { expiresAt, currentCodeSent: true }]);
      const [code, currentCode] = [site.mail.lastCode(email), site.mail.lastCode(old)];
      const confirm = (body: object) =>
        site.post('/account/email/confirm', { email, code, currentCode, ...body }, { cookie });
      const wrong = { code: otherThan(code), currentCode: otherThan(currentCode) };
      for (const [guess, field] of [
        [{ code: wrong.code }, 'code'],
        [{ currentCode: wrong.currentCode }, 'currentCode'],
        // Of two wrong ones the error names the first: the second is only evaluated behind a right first one.
        [wrong, 'code'],
      ] as const) {
        const answer = await confirm(guess);
        expectError(answer, 401, 'code_invalid');
        expect(answer.json.field).toBe(field);
      }
      expectError(await confirm({ currentCode: undefined }), 400, 'invalid_request');
      expectError(await confirm({ email: site.address() }), 401, 'code_invalid');
      const answer = await confirm({});
      expect([answer.status, answer.json]).toEqual([200, { user: userLike({ email, emailVerified: true }) }]);
      expect(answer.json.user.id).toBe(user.id);
      expect(await isIn(site, answer.cookie())).toBe(true);
      expect([await isIn(site, cookie), await isIn(site, elsewhere)]).toEqual([false, false]);
      await site.settle();
      expect(site.mail.messages.at(-1)).toMatchObject({ to: old, kind: 'notice' });
      expect((await site.signInByCode(email)).user.id).toBe(user.id);
      expect((await site.signInByCode(old)).user.id).not.toBe(user.id);
    });

    it('of an address that was never proven needs the new mailbox alone', async () => {
      const site = await openPro();
      const { email: old, cookie } = await site.signUp();
      const email = site.address();
      const sent = await site.post('/account/email', { email }, { cookie });
      expect(sent.json).toEqual({ expiresAt, currentCodeSent: false });
      expect(site.mail.messages.map(({ to }) => to)).toEqual([email]);
      const code = site.mail.lastCode(email);
      const answer = await site.post('/account/email/confirm', { email, code }, { cookie });
      expect(answer.json).toEqual({ user: userLike({ email, emailVerified: true }) });
      await site.settle();
      expect(site.mail.messages.filter(({ to }) => to === old)).toEqual([]);
    });

    it('A-13: answers the same, byte for byte, whether or not the new address has an account', async () => {
      const site = await openPro();
      const { cookie } = await site.signInByCode();
      const { email: taken } = await site.signUp();
      const seen: unknown[] = [];
      for (const email of [site.address(), taken]) {
        const { status, text, headers } = await site.post('/account/email', { email }, { cookie });
        const body = { email, code: '000000', currentCode: '000000' };
        const guess = await site.post('/account/email/confirm', body, { cookie });
        seen.push({ status, text, names: Object.keys(headers).sort(), guess: [guess.status, guess.text] });
      }
      expect(seen[1]).toEqual(seen[0]);
      expect(site.mail.messages.filter(({ to }) => to === taken)).toMatchObject([{ kind: 'notice' }]);
    });

    it('somebody who has come to the new address meanwhile keeps it: 409 email_exists', async () => {
      const site = await openPro();
      const { email: old, cookie, user } = await site.signInByCode();
      const email = site.address();
      await site.post('/account/email', { email }, { cookie });
      const [code, currentCode] = [site.mail.lastCode(email), site.mail.lastCode(old)];
      const newcomer = await site.signUp(email);
      const answer = await site.post('/account/email/confirm', { email, code, currentCode }, { cookie });
      expectError(answer, 409, 'email_exists');
      expect((await site.get('/session', { cookie })).json.user).toMatchObject({ id: user.id, email: old });
      expect(await isIn(site, newcomer.cookie)).toBe(true);
    });

    it('refuses the address that is there, and what is none', async () => {
      const site = await openPro();
      const { email: own, cookie } = await site.signUp();
      for (const email of [own, own.toUpperCase(), '', 'x', 'a@b.test, c@d.test']) {
        expectError(await site.post('/account/email', { email }, { cookie }), 400, 'invalid_request');
      }
    });

    it('keeps a session that began with two factors as strong', async () => {
      const site = await openPro();
      const { email: old, user } = await site.signInByCode();
      const stored = await site.adapter.users.findById(user.id);
      // As a sign-in with two factors begins one.
      const { sessions } = (site.service as never as Record<symbol, { sessions: Sessions }>)[
        Symbol.for('svc-auth.internals')
      ]!;
      const { token } = await sessions.start(stored, {}, { twoFactors: true });
      const cookie = `svc_session=${token}`;
      const email = site.address();
      await site.post('/account/email', { email }, { cookie });
      const codes = { code: site.mail.lastCode(email), currentCode: site.mail.lastCode(old) };
      const answer = await site.post('/account/email/confirm', { email, ...codes }, { cookie });
      const claims = site.service.verifyToken(answer.cookie().slice('svc_session='.length));
      expect(claims['amr']).toEqual(['mfa']);
    });
  });
}

interface Sessions {
  start(user: unknown, device: object, options: object): Promise<{ token: string }>;
}
