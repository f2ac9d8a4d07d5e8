/**
 * POST /account/verify-email, POST /account/email and their related routes
 * (docs/decisions/email-change.md).
 */
import { outbox } from 'svc-auth/testing';
import { validPassword } from '../../support/http-site.js';
import { isSignedIn, differentCode } from '../../support/site-actions.js';
import type { OpenSite } from '../matrix.js';
import { expectError, expectTooMany, isoDate, userLike } from './expect.js';

export function accountAddress(open: OpenSite): void {
  const openPro = () => {
    const mail = outbox();
    return open({ pro: true, service: { mail, providers: { account: { sender: mail }, sessions: true } } });
  };
  const expiresAt = expect.stringMatching(isoDate) as string;
  describe('POST /account/verify-email', () => {
    it('POST /account/verify-email verifies the user’s address with a code and ends no session', async () => {
      const site = await openPro();
      const { email, cookie } = await site.signUp();
      const elsewhere = (await site.post('/password/login', { email, password: validPassword })).cookie();
      const sent = await site.post('/account/verify-email/send', undefined, { cookie });
      expect([sent.status, sent.json]).toEqual([200, { expiresAt }]);
      const code = site.mail.lastCode(email);
      expectError(
        await site.post('/account/verify-email', { code: differentCode(code) }, { cookie }),
        401,
        'code_invalid',
      );
      const response = await site.post('/account/verify-email', { code }, { cookie });
      expect([response.status, response.json]).toEqual([
        200,
        { user: userLike({ email, emailVerified: true }) },
      ]);
      expect(response.cookies).toEqual([]);
      expect([await isSignedIn(site, cookie), await isSignedIn(site, elsewhere)]).toEqual([true, true]);
      expect((await site.post('/password/login', { email, password: validPassword })).status).toBe(200);
    });

    it('POST /account/verify-email/send returns expiresAt null and sends nothing if the address is already verified', async () => {
      const site = await openPro();
      const { email, cookie } = await site.signInByCode();
      site.mail.clear();
      const sent = await site.post('/account/verify-email/send', undefined, { cookie });
      expect([sent.status, sent.json]).toEqual([200, { expiresAt: null }]);
      expect(site.mail.messages).toEqual([]);
      const response = await site.post('/account/verify-email', { code: '123456' }, { cookie });
      expect(response.json).toEqual({ user: userLike({ email, emailVerified: true }) });
    });

    it('POST /account/verify-email returns 400 invalid_request to a guest, who has no address', async () => {
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

    it('POST /account/verify-email/send is limited like other routes that send mail', async () => {
      const site = await openPro();
      const { cookie } = await site.signUp();
      for (let i = 0; i < 5; i += 1) {
        expect((await site.post('/account/verify-email/send', undefined, { cookie })).status).toBe(200);
      }
      expectTooMany(await site.post('/account/verify-email/send', undefined, { cookie }), 15 * 60_000);
    });
  });

  describe('POST /account/email', () => {
    it('POST /account/email changes the address with both codes, ends every other session and notifies the old address', async () => {
      const site = await openPro();
      const { email: old, cookie, user } = await site.signInByCode();
      const { cookie: elsewhere } = await site.signInByCode(old);
      const email = site.uniqueEmail();
      const sent = await site.post('/account/email', { email }, { cookie });
      expect([sent.status, sent.json]).toEqual([200, { expiresAt, currentCodeSent: true }]);
      const [code, currentCode] = [site.mail.lastCode(email), site.mail.lastCode(old)];
      const confirm = (body: object) =>
        site.post('/account/email/confirm', { email, code, currentCode, ...body }, { cookie });
      const wrong = { code: differentCode(code), currentCode: differentCode(currentCode) };
      for (const [guess, field] of [
        [{ code: wrong.code }, 'code'],
        [{ currentCode: wrong.currentCode }, 'currentCode'],
        // If both are wrong, the error names the first: the second is checked only after the first
        // is right.
        [wrong, 'code'],
      ] as const) {
        const response = await confirm(guess);
        expectError(response, 401, 'code_invalid');
        expect(response.json.field).toBe(field);
      }
      expectError(await confirm({ currentCode: undefined }), 400, 'invalid_request');
      expectError(await confirm({ email: site.uniqueEmail() }), 401, 'code_invalid');
      const response = await confirm({});
      expect([response.status, response.json]).toEqual([
        200,
        { user: userLike({ email, emailVerified: true }) },
      ]);
      expect(response.json.user.id).toBe(user.id);
      expect(await isSignedIn(site, response.cookie())).toBe(true);
      expect([await isSignedIn(site, cookie), await isSignedIn(site, elsewhere)]).toEqual([false, false]);
      await site.settle();
      expect(site.mail.messages.at(-1)).toMatchObject({ to: old, kind: 'notice' });
      expect((await site.signInByCode(email)).user.id).toBe(user.id);
      expect((await site.signInByCode(old)).user.id).not.toBe(user.id);
    });

    it('POST /account/email requires a code from the new mailbox only if the old address was never verified', async () => {
      const site = await openPro();
      const { email: old, cookie } = await site.signUp();
      const email = site.uniqueEmail();
      const sent = await site.post('/account/email', { email }, { cookie });
      expect(sent.json).toEqual({ expiresAt, currentCodeSent: false });
      expect(site.mail.messages.map(({ to }) => to)).toEqual([email]);
      const code = site.mail.lastCode(email);
      const response = await site.post('/account/email/confirm', { email, code }, { cookie });
      expect(response.json).toEqual({ user: userLike({ email, emailVerified: true }) });
      await site.settle();
      expect(site.mail.messages.filter(({ to }) => to === old)).toEqual([]);
    });

    //
    it('POST /account/email returns byte for byte the same response whether or not the new address has an account', async () => {
      const site = await openPro();
      const { cookie } = await site.signInByCode();
      const { email: taken } = await site.signUp();
      const outcomes: unknown[] = [];
      for (const email of [site.uniqueEmail(), taken]) {
        const { status, text, headers } = await site.post('/account/email', { email }, { cookie });
        const body = { email, code: '000000', currentCode: '000000' };
        const guess = await site.post('/account/email/confirm', body, { cookie });
        outcomes.push({
          status,
          text,
          names: Object.keys(headers).sort(),
          guess: [guess.status, guess.text],
        });
      }
      expect(outcomes[1]).toEqual(outcomes[0]);
      expect(site.mail.messages.filter(({ to }) => to === taken)).toMatchObject([{ kind: 'notice' }]);
    });

    it('POST /account/email/confirm returns 409 email_exists if another user has registered the new address in the meantime', async () => {
      const site = await openPro();
      const { email: old, cookie, user } = await site.signInByCode();
      const email = site.uniqueEmail();
      await site.post('/account/email', { email }, { cookie });
      const [code, currentCode] = [site.mail.lastCode(email), site.mail.lastCode(old)];
      const newcomer = await site.signUp(email);
      const response = await site.post('/account/email/confirm', { email, code, currentCode }, { cookie });
      expectError(response, 409, 'email_exists');
      expect((await site.get('/session', { cookie })).json.user).toMatchObject({ id: user.id, email: old });
      expect(await isSignedIn(site, newcomer.cookie)).toBe(true);
    });

    it('POST /account/email returns 400 invalid_request for the current address and for a malformed address', async () => {
      const site = await openPro();
      const { email: own, cookie } = await site.signUp();
      for (const email of [own, own.toUpperCase(), '', 'x', 'a@b.test, c@d.test']) {
        expectError(await site.post('/account/email', { email }, { cookie }), 400, 'invalid_request');
      }
    });

    it('POST /account/email/confirm preserves the two-factor status of the session', async () => {
      const site = await openPro();
      const { email: old, user } = await site.signInByCode();
      const stored = await site.adapter.users.findById(user.id);
      // A sign-in with two factors starts such a session.
      const { sessions } = (site.service as never as Record<symbol, { sessions: Sessions }>)[
        Symbol.for('svc-auth.internals')
      ]!;
      const { token } = await sessions.issueSession(stored, {}, { twoFactors: true });
      const cookie = `svc_session=${token}`;
      const email = site.uniqueEmail();
      await site.post('/account/email', { email }, { cookie });
      const codes = { code: site.mail.lastCode(email), currentCode: site.mail.lastCode(old) };
      const response = await site.post('/account/email/confirm', { email, ...codes }, { cookie });
      const claims = site.service.verifyToken(response.cookie().slice('svc_session='.length));
      expect(claims['amr']).toEqual(['mfa']);
    });
  });
}

interface Sessions {
  issueSession(user: unknown, device: object, options: object): Promise<{ token: string }>;
}
