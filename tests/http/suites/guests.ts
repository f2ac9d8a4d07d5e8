/** POST /guest. */
import { solveProofOfWork, type Challenge } from 'svc-auth/client';
import type { SiteOptions } from '../../support/http-site.js';
import { minute, proProviders } from '../../support/make-pro-service.js';
import type { OpenSite } from '../matrix.js';
import { expectError, expectTooMany, userLike } from './expect.js';

// Each test uses other client addresses, because limits outlive a site.
let hosts = 0;
const newHost = () => `198.51.${Math.floor((hosts += 1) / 250)}.${(hosts % 250) + 1}`;

export function guests(open: OpenSite): void {
  const openWithGuests = (options: SiteOptions = {}) =>
    open({
      pro: true,
      trustProxy: true,
      ...options,
      service: {
        providers: { ...proProviders, sessions: { canImpersonate: () => true } },
        ...options.service,
      },
    });
  const from = (ip: string, cookie?: string) => ({ cookie, headers: { 'X-Forwarded-For': ip } });

  describe('guests', () => {
    it('POST /guest creates a guest with a session for a client that is not signed in', async () => {
      const site = await openWithGuests();
      const ip = newHost();
      const headers = { 'X-Forwarded-For': ip, 'User-Agent': 'acme-app/1.0' };
      const response = await site.post('/guest', undefined, { headers });
      expect(response.status).toBe(200);
      expect(response.json).toEqual({ user: userLike({ email: null, emailVerified: false }), created: true });
      expect(response.cookies).toMatchObject([
        { name: 'svc_session', attributes: { httponly: true, samesite: 'Lax', path: '/' } },
      ]);
      const { id } = response.json.user;
      expect(await site.service.sessionsProvider.isGuest(id)).toBe(true);
      expect(await site.service.sessionsProvider.listDevices(id)).toMatchObject([
        { device: { ip, userAgent: 'acme-app/1.0' } },
      ]);
      expect((await site.get('/session', { cookie: response.cookie() })).json.user.id).toBe(id);
    });

    it('POST /guest asks a client that has created many guests for the solution of a challenge', async () => {
      const site = await openWithGuests({ service: { signUp: { challenge: { after: 1, cost: 1 } } } });
      const ip = newHost();
      expect((await site.post('/guest', { remember: false }, from(ip))).json).toMatchObject({
        created: true,
      });
      const refused = await site.post('/guest', undefined, from(ip));
      expectError(refused, 403, 'challenge_required');
      expect(refused.cookies).toEqual([]);
      const challengeSolution = await solveProofOfWork(refused.json['challenge'] as Challenge);
      const guest = await site.post('/guest', { challengeSolution }, from(ip));
      expect(guest.json).toMatchObject({ created: true });
      // A visitor who has a session is not asked.
      const again = await site.post('/guest', undefined, from(ip, guest.cookie()));
      expect(again.json).toMatchObject({ user: guest.json.user, created: false });
      const replayed = await site.post('/guest', { challengeSolution }, from(ip));
      expectError(replayed, 403, 'challenge_required');
    });

    it('POST /guest sets a cookie without an expiry with remember: false', async () => {
      const site = await openWithGuests();
      const [kept, forgotten] = await Promise.all(
        [true, false].map((remember) => site.post('/guest', { remember }, from(newHost()))),
      );
      expect(kept!.cookies[0]?.attributes).toHaveProperty('max-age');
      expect(forgotten!.cookies[0]?.attributes).not.toHaveProperty('max-age');
    });

    it('POST /guest returns the current user of a guest, a user or an impersonation, and creates no guest', async () => {
      const site = await openWithGuests();
      const ip = newHost();
      const guest = await site.post('/guest', undefined, from(ip));
      const [person, admin] = [await site.signInByCode(), await site.signInByCode()];
      const { token } = await site.service.sessionsProvider.impersonate(admin.user.id, person.user.id);
      for (const [cookie, user] of [
        [guest.cookie(), guest.json.user],
        [person.cookie, person.user],
        [`svc_session=${token}`, person.user],
      ] as const) {
        const response = await site.post('/guest', undefined, from(ip, cookie));
        expect([response.status, response.json, response.cookies]).toEqual([
          200,
          { user, created: false },
          [],
        ]);
      }
    });

    it('POST /guest creates a guest if the session has ended', async () => {
      const site = await openWithGuests();
      const { cookie } = await site.signInByCode();
      await site.post('/logout', {}, { cookie });
      for (const endedCookie of [cookie, 'svc_session=x']) {
        const response = await site.post('/guest', undefined, from(newHost(), endedCookie));
        expect([response.status, response.json.created]).toEqual([200, true]);
        expect(response.cookie()).not.toBe(endedCookie);
      }
    });

    it('POST /guest creates 20 guests per client in 15 minutes; requests with a session do not count', async () => {
      const site = await openWithGuests();
      const ip = newHost();
      const first = await site.post('/guest', undefined, from(ip));
      for (let i = 0; i < 25; i += 1) {
        expect((await site.post('/guest', undefined, from(ip, first.cookie()))).status).toBe(200);
      }
      const parallel = Array.from({ length: 22 }, () => site.post('/guest', undefined, from(ip)));
      const responses = await Promise.all(parallel);
      expect(responses.filter(({ status }) => status === 200)).toHaveLength(19);
      expectTooMany(
        responses.find(({ status }) => status === 429)!,
        15 * minute,
      );
      expect((await site.post('/guest', undefined, from(newHost()))).status).toBe(200);
      site.clock.advance(15 * minute);
      expect((await site.post('/guest', undefined, from(ip))).status).toBe(200);
    });

    it('DELETE /account requires no recent sign-in from a guest, who cannot sign in again', async () => {
      const site = await openWithGuests();
      const guest = (await site.post('/guest', undefined, from(newHost()))).cookie();
      const { cookie } = await site.signInByCode();
      site.clock.advance(60 * minute);
      const remove = (of: string) => site.send('DELETE', '/account', undefined, { cookie: of });
      expect((await remove(guest)).json).toEqual({ ok: true });
      expect((await site.get('/session', { cookie: guest })).status).toBe(401);
      expect((await remove(cookie)).json.error).toBe('reauth_required');
    });

    it('POST /guest keeps a pending second-factor sign-in', async () => {
      const site = await openWithGuests();
      const response = await site.post('/guest', undefined, from(newHost(), 'svc_mfa=waiting'));
      expect(response.cookies.map(({ name }) => name)).toEqual(['svc_session']);
    });
  });
}
