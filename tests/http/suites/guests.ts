/** POST /guest. */
import type { SiteOptions } from '../../support/http-site.js';
import { minute, proProviders } from '../../support/make-pro-service.js';
import type { OpenSite } from '../matrix.js';
import { expectTooMany, userLike } from './expect.js';

// Each test comes from addresses of its own: limits outlive a site.
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
    it('whoever is not signed in becomes a guest, with a session', async () => {
      const site = await openWithGuests();
      const ip = newHost();
      const headers = { 'X-Forwarded-For': ip, 'User-Agent': 'acme-app/1.0' };
      const answer = await site.post('/guest', undefined, { headers });
      expect(answer.status).toBe(200);
      expect(answer.json).toEqual({ user: userLike({ email: null, emailVerified: false }), created: true });
      expect(answer.cookies).toMatchObject([
        { name: 'svc_session', attributes: { httponly: true, samesite: 'Lax', path: '/' } },
      ]);
      const { id } = answer.json.user;
      expect(await site.service.sessionsProvider.isGuest(id)).toBe(true);
      expect(await site.service.sessionsProvider.listDevices(id)).toMatchObject([
        { device: { ip, userAgent: 'acme-app/1.0' } },
      ]);
      expect((await site.get('/session', { cookie: answer.cookie() })).json.user.id).toBe(id);
    });

    it('whoever is signed in stays who they are: a guest, a user, an impersonation', async () => {
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
        const answer = await site.post('/guest', undefined, from(ip, cookie));
        expect([answer.status, answer.json, answer.cookies]).toEqual([200, { user, created: false }, []]);
      }
    });

    it('a session that has ended makes way for a guest', async () => {
      const site = await openWithGuests();
      const { cookie } = await site.signInByCode();
      await site.post('/logout', {}, { cookie });
      for (const dead of [cookie, 'svc_session=x']) {
        const answer = await site.post('/guest', undefined, from(newHost(), dead));
        expect([answer.status, answer.json.created]).toEqual([200, true]);
        expect(answer.cookie()).not.toBe(dead);
      }
    });

    it('a client gets 20 guests in 15 minutes, and who is signed in is not counted', async () => {
      const site = await openWithGuests();
      const ip = newHost();
      const first = await site.post('/guest', undefined, from(ip));
      for (let i = 0; i < 25; i += 1) {
        expect((await site.post('/guest', undefined, from(ip, first.cookie()))).status).toBe(200);
      }
      const parallel = Array.from({ length: 22 }, () => site.post('/guest', undefined, from(ip)));
      const answers = await Promise.all(parallel);
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(19);
      expectTooMany(
        answers.find(({ status }) => status === 429)!,
        15 * minute,
      );
      expect((await site.post('/guest', undefined, from(newHost()))).status).toBe(200);
      site.clock.advance(15 * minute);
      expect((await site.post('/guest', undefined, from(ip))).status).toBe(200);
    });

    it('may delete themselves at any age of the session, for they cannot sign in again', async () => {
      const site = await openWithGuests();
      const guest = (await site.post('/guest', undefined, from(newHost()))).cookie();
      const { cookie } = await site.signInByCode();
      site.clock.advance(60 * minute);
      const remove = (of: string) => site.send('DELETE', '/account', undefined, { cookie: of });
      expect((await remove(guest)).json).toEqual({ ok: true });
      expect((await site.get('/session', { cookie: guest })).status).toBe(401);
      expect((await remove(cookie)).json.error).toBe('reauth_required');
    });

    it('a sign-in that waits for its second factor goes on waiting', async () => {
      const site = await openWithGuests();
      const answer = await site.post('/guest', undefined, from(newHost(), 'svc_mfa=waiting'));
      expect(answer.cookies.map(({ name }) => name)).toEqual(['svc_session']);
    });
  });
}
