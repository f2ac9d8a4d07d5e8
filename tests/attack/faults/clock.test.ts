/**
 * A clock that jumps by hours or years, forward or back. Used secrets remain used, and no one is locked out once the time is
 * right again.
 */
import type { TestClock } from 'svc-auth/testing';
import { codeAt, wrongCodeAt } from '../../support/authenticator-app.js';
import { describeAdapters } from '../../support/describe-adapters.js';
import { proFixtures, type ProService } from '../../support/make-pro-service.js';
import { encryptionKey } from '../../support/every-provider.js';
import { day, minute } from '../../support/make-pro-service.js';
import { errorOf, runInSequence, outcomeOf } from '../../support/outcomes.js';

const hour = 60 * minute;
const year = 365 * day;
const password = 'correct horse';
const jumps: [string, number][] = [
  ['three hours', 3 * hour],
  ['ten years', 10 * year],
];

describeAdapters('Clock changes', (on) => {
  const { makePro, verifiedUser } = proFixtures(on);
  const make = () => makePro({ encryptionKey, providers: { totp: true } });

  /** Runs `action` while the clock is off by `ms`. */
  async function wrongBy<T>(clock: TestClock, ms: number, action: () => Promise<T>): Promise<T> {
    clock.advance(ms);
    try {
      return await action();
    } finally {
      clock.advance(-ms);
    }
  }

  const codeFor = async ({ service, mail }: ProService, email: string) => {
    await service.emailCode.sendCode({ email });
    return mail.lastCode(email)!;
  };

  describe.each(jumps)('after a clock that ran %s ahead', (_name, ahead) => {
    it('rejects codes, links and resets that were used before the clock change', async () => {
      const test = await make();
      const email = on.uniqueEmail();
      const code = await codeFor(test, email);
      await test.service.emailCode.verify({ email, code });
      await test.service.magicLink.sendLink({ email });
      const link = new URL(test.mail.lastLink(email)!).searchParams.get('token')!;
      await test.service.magicLink.verify(link);
      await test.service.emailPassword.requestReset({ email });
      await test.service.close();
      const token = new URL(test.mail.lastLink(email)!).searchParams.get('token')!;
      await test.service.emailPassword.setPassword({ token, newPassword: password });
      const again = async () => [
        await outcomeOf(() => test.service.emailCode.verify({ email, code })),
        await outcomeOf(() => test.service.magicLink.verify(link)),
        await outcomeOf(() => test.service.emailPassword.setPassword({ token, newPassword: password })),
      ];
      expect(await wrongBy(test.clock, ahead, again)).not.toContain('ok');
      expect(await again()).toEqual(['code_not_found', 'token_invalid', 'token_invalid']);
    });

    it('counts failed logins from the wrong time for at most one window', async () => {
      const test = await make();
      const email = on.uniqueEmail();
      await test.service.emailPassword.signup({ email, password });
      const login = (plain: string) => test.service.emailPassword.login({ email, password: plain });
      await wrongBy(test.clock, ahead, () => runInSequence(12, () => login('a wrong password')));
      const rejection = await errorOf(() => login(password));
      expect(rejection).toMatchObject({ code: 'rate_limit_exceeded' });
      expect(rejection['retryAfterMs']).toBeLessThanOrEqual(15 * minute);
      test.clock.advance(15 * minute);
      expect(await outcomeOf(() => login(password))).toBe('ok');
    });

    it('counts sends from the wrong time for at most one window, and allows no additional ones', async () => {
      const test = await make();
      const email = on.uniqueEmail();
      const send = () => test.service.emailCode.sendCode({ email });
      expect(await wrongBy(test.clock, ahead, () => runInSequence(6, send))).toEqual([
        ...Array(5).fill('ok'),
        'rate_limit_exceeded',
      ]);
      const rejection = await errorOf(send);
      expect(rejection).toMatchObject({ code: 'rate_limit_exceeded' });
      expect(rejection['retryAfterMs']).toBeLessThanOrEqual(15 * minute);
      test.clock.advance(15 * minute);
      expect(await outcomeOf(send)).toBe('ok');
    });

    it('keeps sessions that were not used during the clock change, and restores no revoked session', async () => {
      const test = await make();
      const { id: userId } = await verifiedUser(test);
      const { sessionsProvider } = test.service;
      const [kept, revoked] = [
        await sessionsProvider.create({ userId }),
        await sessionsProvider.create({ userId }),
      ];
      const fromFuture = await wrongBy(test.clock, ahead, async () => {
        await sessionsProvider.revokeDevice(revoked.session.id);
        return sessionsProvider.create({ userId });
      });
      const outcomeFor = (token: string) => outcomeOf(() => test.service.getSessionUser(token));
      expect(await outcomeFor(kept.token)).toBe('ok');
      expect(await outcomeFor(revoked.token)).toBe('token_invalid');
      // A token with a future time of issue is rejected; its owner signs in again.
      expect(await outcomeFor(fromFuture.token)).toBe('token_invalid');
      expect(await outcomeFor((await sessionsProvider.create({ userId })).token)).toBe('ok');
    });

    it('keeps tokens revoked that were revoked at the wrong time, and accepts sessions that start afterwards', async () => {
      const test = await make();
      const { id: userId } = await verifiedUser(test);
      const { sessionsProvider } = test.service;
      const before = await sessionsProvider.create({ userId });
      const stateless = test.service.createSessionToken(userId);
      await wrongBy(test.clock, ahead, () => sessionsProvider.revokeAll(userId));
      const outcomeFor = (token: string) => outcomeOf(() => test.service.getSessionUser(token));
      expect([await outcomeFor(before.token), await outcomeFor(stateless.token)]).toEqual([
        'token_invalid',
        'token_invalid',
      ]);
      expect(await outcomeFor((await sessionsProvider.create({ userId })).token)).toBe('ok');
      // Stateless tokens have only their time of issue, so all are rejected for a while rather than a revoked one accepted.
      expect(await outcomeFor(test.service.createSessionToken(userId).token)).toBe('token_invalid');
      test.clock.advance(ahead + 1);
      expect(await outcomeFor(test.service.createSessionToken(userId).token)).toBe('ok');
      expect(await outcomeFor(stateless.token)).toBe('token_invalid');
    });

    it('allows a replaced refresh token no more than its seconds of grace', async () => {
      const test = await make();
      const { id: userId } = await verifiedUser(test);
      const { refresh } = test.service;
      const first = await refresh.issue({ userId });
      // A jump beyond the family's end rejects the token, and leaves the family unchanged.
      const rotate = () => outcomeOf(() => refresh.refresh(first.refreshToken));
      const duringChange = await wrongBy(test.clock, ahead, rotate);
      expect(duringChange).toBe(ahead < 30 * day ? 'ok' : 'refresh_token_invalid');
      expect(await rotate()).toBe(ahead < 30 * day ? 'refresh_token_invalid' : 'ok');
    });

    it('accepts each authenticator code once, and locks its owner out no longer than the limit on failures', async () => {
      const test = await make();
      const { id: userId } = await verifiedUser(test);
      const { totp } = test.service;
      const { secret } = await totp.beginEnrollment(userId);
      const begin = test.clock.now();
      await totp.confirmEnrollment(userId, codeAt(secret, begin));
      test.clock.advance(30_000);
      const code = codeAt(secret, test.clock.now());
      expect(await totp.verify(userId, code)).toBe(true);
      // The authenticator app shows codes for the right time throughout.
      const guess = () => runInSequence(7, () => totp.verify(userId, wrongCodeAt(secret, test.clock.now())));
      await wrongBy(test.clock, ahead, guess);
      expect(await outcomeOf(() => totp.verify(userId, code))).toBe('max_attempts_exceeded');
      test.clock.advance(15 * minute);
      expect(await totp.verify(userId, code)).toBe(false);
      expect(await totp.verify(userId, codeAt(secret, test.clock.now()))).toBe(true);
    });
  });

  describe.each(jumps)('after a clock that ran %s behind', (_name, behind) => {
    it('rejects used codes and refresh tokens, and accepts valid sessions and keys again', async () => {
      const test = await make();
      const { service, clock } = test;
      const email = on.uniqueEmail();
      const { id: userId } = await verifiedUser(test, email);
      const code = await codeFor(test, email);
      await service.emailCode.verify({ email, code });
      const pair = await service.refresh.issue({ userId });
      await service.refresh.refresh(pair.refreshToken);
      const { token } = await service.sessionsProvider.create({ userId });
      const { key } = await service.apiKeys.create({ userId, name: 'a key' });
      const outcomes = await wrongBy(clock, -behind, async () => [
        await outcomeOf(() => service.emailCode.verify({ email, code })),
        await outcomeOf(() => service.refresh.refresh(pair.refreshToken)),
        await outcomeOf(() => service.getSessionUser(token)),
        await outcomeOf(() => service.apiKeys.verify(key)),
        await outcomeOf(() => service.purgeExpired()),
      ]);
      expect(outcomes).toEqual(['code_not_found', 'refresh_token_invalid', 'token_invalid', 'ok', 'ok']);
      expect(await outcomeOf(() => service.getSessionUser(token))).toBe('ok');
      const next = await codeFor(test, email);
      expect(await outcomeOf(() => service.emailCode.verify({ email, code: next }))).toBe('ok');
    });
  });
});
