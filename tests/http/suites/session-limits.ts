/** `session.maxPerUser`: a sign-in beyond the limit ends the oldest. */
import { validPassword, type Site } from '../../support/http-site.js';
import { isSignedIn } from '../../support/site-actions.js';
import type { OpenSite } from '../matrix.js';

export function sessionLimits(open: OpenSite): void {
  const openLimited = (maxPerUser: number) =>
    open({
      pro: true,
      service: { session: { maxPerUser }, providers: { sessions: true, refresh: true, account: true } },
    });

  const login = async (site: Site, { email }: { email: string }, cookie?: string) => {
    site.clock.advance(1_000);
    return (await site.post('/password/login', { email, password: validPassword }, { cookie })).cookie();
  };

  describe('session.maxPerUser', () => {
    it('a sign-in beyond the limit ends the oldest session of the user, and no session of another', async () => {
      const site = await openLimited(2);
      const stranger = await site.signUp();
      const account = await site.signUp();
      const events: unknown[] = [];
      site.service.on('session.revoked', (payload) => void events.push(payload));
      const second = await login(site, account);
      expect(await isSignedIn(site, account.cookie)).toBe(true);
      const third = await login(site, account);
      expect(await isSignedIn(site, account.cookie)).toBe(false);
      expect([await isSignedIn(site, second), await isSignedIn(site, third)]).toEqual([true, true]);
      expect(await isSignedIn(site, stranger.cookie)).toBe(true);
      const { sid: sessionId } = site.service.verifyToken(account.cookie.slice('svc_session='.length));
      expect(events).toEqual([{ userId: account.user.id, sessionId }]);
    });

    it('a sign-in with a session replaces it, so that no other session ends', async () => {
      const site = await openLimited(2);
      const account = await site.signUp();
      const second = await login(site, account);
      const events: unknown[] = [];
      site.service.on('session.revoked', (payload) => void events.push(payload));
      const third = await login(site, account, second);
      expect(await isSignedIn(site, account.cookie)).toBe(true);
      expect([await isSignedIn(site, second), await isSignedIn(site, third)]).toEqual([false, true]);
      expect(events).toHaveLength(1);
    });

    it('refresh tokens count too', async () => {
      const site = await openLimited(2);
      const account = await site.signUp();
      const second = await login(site, account);
      site.clock.advance(1_000);
      const app = (await site.post('/token/issue', {}, { cookie: second })).json;
      expect([await isSignedIn(site, account.cookie), await isSignedIn(site, second)]).toEqual([false, true]);
      await login(site, account);
      await login(site, account);
      expect(await isSignedIn(site, second)).toBe(false);
      const { refreshToken } = app;
      const refreshed = await site.post('/token/refresh', { refreshToken });
      expect([refreshed.status, refreshed.json.error]).toEqual([401, 'refresh_token_invalid']);
    });

    it('a session that issues refresh tokens stays, even if it is the oldest', async () => {
      const site = await openLimited(2);
      const account = await site.signUp();
      const second = await login(site, account);
      site.clock.advance(1_000);
      const issued = await site.post('/token/issue', {}, { cookie: account.cookie });
      expect(issued.status).toBe(200);
      expect([await isSignedIn(site, account.cookie), await isSignedIn(site, second)]).toEqual([true, false]);
    });

    it('with a limit of one, a changed password leaves the session that changed it', async () => {
      const site = await openLimited(1);
      const account = await site.signUp();
      const body = { currentPassword: validPassword, newPassword: 'another correct horse' };
      const changed = await site.post('/account/password', body, { cookie: account.cookie });
      expect(await isSignedIn(site, changed.cookie())).toBe(true);
      expect(await site.service.sessionsProvider.listDevices(account.user.id)).toHaveLength(1);
    });

    it('without a limit, every session stays', async () => {
      const site = await open({ pro: true, service: { providers: { sessions: true } } });
      const account = await site.signUp();
      for (let count = 0; count < 12; count += 1) await login(site, account);
      expect(await site.service.sessionsProvider.listDevices(account.user.id)).toHaveLength(13);
    });
  });
}
