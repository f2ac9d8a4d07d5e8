// Events of failures: what they contain, that each is emitted once, and that floods emit few.
import { codeAt, wrongCodeAt } from '../support/authenticator-app.js';
import { describeAdapters } from '../support/describe-adapters.js';
import { encryptionKey } from '../support/every-provider.js';
import { minute, proFixtures } from '../support/make-pro-service.js';
import { errorOf } from '../support/outcomes.js';
import { internals } from '../../src/core/internals.js';

const context = { ip: '192.0.2.1', startSession: true };

describeAdapters('Events of failures', ({ make, uniqueEmail }) => {
  const { makePro, verifiedUser, unverifiedUser } = proFixtures({ make, uniqueEmail });
  type Test = Awaited<ReturnType<typeof makePro>>;
  const taken = (test: Test) => test.takeFailures();

  describe('sign_in.failed', () => {
    it('names the user of a wrong password, and no user for an unknown address', async () => {
      const test = await makePro();
      const user = await unverifiedUser(test);
      const failed = { method: 'password_login', reason: 'invalid_credentials' };
      for (const [email, userId] of [
        [user.email!, user.id],
        [uniqueEmail(), undefined],
      ] as const) {
        await errorOf(() => test.service.emailPassword.login({ email, password: 'wrong' }, context));
        expect(await taken(test)).toEqual([
          { name: 'sign_in.failed', payload: { ...failed, ...(userId && { userId }) } },
        ]);
      }
    });

    it('is emitted with code.failed for a wrong code at a sign-in', async () => {
      const test = await makePro();
      const { email, id: userId } = await verifiedUser(test);
      await test.service.emailCode.sendCode({ email: email! });
      await taken(test);
      const code = test.mail.lastCode(email!) === '111111' ? '222222' : '111111';
      await errorOf(() => test.service.emailCode.verify({ email: email!, code }, context));
      expect(await taken(test)).toEqual([
        { name: 'code.failed', payload: { purpose: 'email_code', reason: 'code_invalid', userId } },
        { name: 'sign_in.failed', payload: { method: 'email_code', reason: 'code_invalid', userId } },
      ]);
    });

    it('is emitted for a blocked user whose proof is right', async () => {
      const test = await makePro();
      const { email, id: userId } = await unverifiedUser(test);
      await test.service.users.block(userId);
      await taken(test);
      const input = { email: email!, password: 'correct horse battery' };
      await errorOf(() => test.service.emailPassword.login(input, context));
      const payload = { method: 'password_login', reason: 'user_blocked', userId };
      expect(await taken(test)).toEqual([{ name: 'sign_in.failed', payload }]);
    });
  });

  it('code.failed is emitted once for a wrong code of an authenticator app', async () => {
    const test = await makePro({ encryptionKey, providers: { totp: true } });
    const { id: userId } = await verifiedUser(test);
    const { secret } = await test.service.totp.beginEnrollment(userId);
    const now = test.clock.now();
    await errorOf(() => test.service.totp.confirmEnrollment(userId, wrongCodeAt(secret, now)));
    const payload = { purpose: 'totp-confirm', reason: 'code_invalid', userId };
    expect(await taken(test)).toEqual([{ name: 'code.failed', payload }]);
    await test.service.totp.confirmEnrollment(userId, codeAt(secret, now));
    expect(await taken(test)).toEqual([]);
  });

  it('limit.exceeded is emitted once per refused attempt, with the name of the limit', async () => {
    const test = await makePro();
    const email = uniqueEmail();
    for (let i = 0; i < 5; i += 1) await test.service.emailCode.sendCode({ email });
    await taken(test);
    for (let i = 0; i < 3; i += 1) {
      await errorOf(() => test.service.emailCode.sendCode({ email }));
      const payload = { limit: 'send:email_code' };
      expect(await taken(test)).toEqual([{ name: 'limit.exceeded', payload }]);
    }
  });

  describe('session.refused', () => {
    async function ended() {
      const test = await makePro();
      const { id: userId } = await verifiedUser(test);
      const { token, session } = await test.service.sessionsProvider.create({ userId });
      const check = (presented = token) => errorOf(() => test.service[internals].sessions.check(presented));
      await test.service.sessionsProvider.revoke(token);
      await taken(test);
      return { test, userId, token, sessionId: session.id, check };
    }

    it('is emitted once per session and minute, whatever the number of requests', async () => {
      const { test, userId, sessionId, check } = await ended();
      const event = { name: 'session.refused', payload: { userId, sessionId, reason: 'session_revoked' } };
      await Promise.all(Array.from({ length: 50 }, () => check()));
      expect(await taken(test)).toEqual([event]);
      test.clock.advance(minute);
      await Promise.all(Array.from({ length: 50 }, () => check()));
      expect(await taken(test)).toEqual([event]);
    });

    it('is not emitted for tokens that this service has not signed, and for expired ones', async () => {
      const { test, token, check } = await ended();
      for (const bad of ['nonsense', `${token.slice(0, -4)}AAAA`, '']) await check(bad);
      test.clock.advance(400 * 24 * 60 * minute);
      await check();
      expect(await taken(test)).toEqual([]);
    });
  });
});
