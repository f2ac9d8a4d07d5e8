/** A clock that jumps: hours and years, ahead and back. What was used up stays so, and nobody is locked out until the wrong time has come. */
import type { TestClock } from 'svc-auth/testing';
import { codeAt, wrongCodeAt } from '../../support/authenticator-app.js';
import { describeAdapters } from '../../support/describe-adapters.js';
import { pro, type ProService } from '../../support/make-pro-service.js';
import { encryptionKey } from '../../support/every-provider.js';
import { day, minute } from '../../support/make-pro-service.js';
import { errorOf, inTurn, outcomeOf } from '../../support/outcomes.js';

const hour = 60 * minute;
const year = 365 * day;
const password = 'correct horse';
const jumps: [string, number][] = [
  ['three hours', 3 * hour],
  ['ten years', 10 * year],
];

describeAdapters('A clock', (on) => {
  const { makePro, verifiedUser } = pro(on);
  const make = () => makePro({ encryptionKey, providers: { totp: true } });

  /** Runs `meanwhile` while the clock is wrong by so much. */
  async function wrongBy<T>(clock: TestClock, ms: number, meanwhile: () => Promise<T>): Promise<T> {
    clock.advance(ms);
    try {
      return await meanwhile();
    } finally {
      clock.advance(-ms);
    }
  }

  const codeFor = async ({ service, mail }: ProService, email: string) => {
    await service.emailCode.sendCode({ email });
    return mail.lastCode(email)!;
  };

  describe.each(jumps)('that runs ahead by %s and comes back', (_name, ahead) => {
    it('brings no code, link or reset to life again that was used', async () => {
      const test = await make();
      const email = on.person();
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

    it('locks nobody out: failures of the wrong time count for a window and no longer', async () => {
      const test = await make();
      const email = on.person();
      await test.service.emailPassword.signup({ email, password });
      const login = (plain: string) => test.service.emailPassword.login({ email, password: plain });
      await wrongBy(test.clock, ahead, () => inTurn(12, () => login('a wrong password')));
      const refused = await errorOf(() => login(password));
      expect(refused).toMatchObject({ code: 'rate_limit_exceeded' });
      expect(refused['retryAfterMs']).toBeLessThanOrEqual(15 * minute);
      test.clock.advance(15 * minute);
      expect(await outcomeOf(() => login(password))).toBe('ok');
    });

    it('leaves the limits on sends as they are: no more by jumping, and no fewer for longer than a window', async () => {
      const test = await make();
      const email = on.person();
      const send = () => test.service.emailCode.sendCode({ email });
      expect(await wrongBy(test.clock, ahead, () => inTurn(6, send))).toEqual([
        ...Array(5).fill('ok'),
        'rate_limit_exceeded',
      ]);
      const refused = await errorOf(send);
      expect(refused).toMatchObject({ code: 'rate_limit_exceeded' });
      expect(refused['retryAfterMs']).toBeLessThanOrEqual(15 * minute);
      test.clock.advance(15 * minute);
      expect(await outcomeOf(send)).toBe('ok');
    });

    it('ends no session that it did not see, nor brings one back that was ended', async () => {
      const test = await make();
      const { id: userId } = await verifiedUser(test);
      const { sessionsProvider } = test.service;
      const [kept, ended] = [
        await sessionsProvider.create({ userId }),
        await sessionsProvider.create({ userId }),
      ];
      const ofThen = await wrongBy(test.clock, ahead, async () => {
        await sessionsProvider.revokeDevice(ended.session.id);
        return sessionsProvider.create({ userId });
      });
      const look = (token: string) => outcomeOf(() => test.service.getSessionUser(token));
      expect(await look(kept.token)).toBe('ok');
      expect(await look(ended.token)).toBe('token_invalid');
      // A token from the future was issued by none of ours; its owner signs in again.
      expect(await look(ofThen.token)).toBe('token_invalid');
      expect(await look((await sessionsProvider.create({ userId })).token)).toBe('ok');
    });

    it('revokes for good, and what is issued afterwards holds', async () => {
      const test = await make();
      const { id: userId } = await verifiedUser(test);
      const { sessionsProvider } = test.service;
      const before = await sessionsProvider.create({ userId });
      const withoutRow = test.service.createSessionToken(userId);
      await wrongBy(test.clock, ahead, () => sessionsProvider.revokeAll(userId));
      const look = (token: string) => outcomeOf(() => test.service.getSessionUser(token));
      expect([await look(before.token), await look(withoutRow.token)]).toEqual([
        'token_invalid',
        'token_invalid',
      ]);
      expect(await look((await sessionsProvider.create({ userId })).token)).toBe('ok');
      // Tokens without a row are judged by the time of their issue alone: rather none of them than a revoked one.
      expect(await look(test.service.createSessionToken(userId).token)).toBe('token_invalid');
      test.clock.advance(ahead + 1);
      expect(await look(test.service.createSessionToken(userId).token)).toBe('ok');
      expect(await look(withoutRow.token)).toBe('token_invalid');
    });

    it('gives a replaced refresh token no grace beyond its seconds', async () => {
      const test = await make();
      const { id: userId } = await verifiedUser(test);
      const { refresh } = test.service;
      const first = await refresh.issue({ userId });
      // A jump beyond the family's end refuses, and takes nothing away.
      const rotate = () => outcomeOf(() => refresh.refresh(first.refreshToken));
      const then = await wrongBy(test.clock, ahead, rotate);
      expect(then).toBe(ahead < 30 * day ? 'ok' : 'refresh_token_invalid');
      expect(await rotate()).toBe(ahead < 30 * day ? 'refresh_token_invalid' : 'ok');
    });

    it('accepts each code of an authenticator app once, and locks its owner out for no longer than the limit does', async () => {
      const test = await make();
      const { id: userId } = await verifiedUser(test);
      const { totp } = test.service;
      const { secret } = await totp.beginEnrollment(userId);
      const begin = test.clock.now();
      await totp.confirmEnrollment(userId, codeAt(secret, begin));
      test.clock.advance(30_000);
      const code = codeAt(secret, test.clock.now());
      expect(await totp.verify(userId, code)).toBe(true);
      // The phone knows the time all along.
      const meanwhile = () => inTurn(7, () => totp.verify(userId, wrongCodeAt(secret, test.clock.now())));
      await wrongBy(test.clock, ahead, meanwhile);
      expect(await outcomeOf(() => totp.verify(userId, code))).toBe('max_attempts_exceeded');
      test.clock.advance(15 * minute);
      expect(await totp.verify(userId, code)).toBe(false);
      expect(await totp.verify(userId, codeAt(secret, test.clock.now()))).toBe(true);
    });
  });

  describe.each(jumps)('that falls behind by %s and comes back', (_name, behind) => {
    it('lets nobody in twice, and nobody stays out', async () => {
      const test = await make();
      const { service, clock } = test;
      const email = on.person();
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
