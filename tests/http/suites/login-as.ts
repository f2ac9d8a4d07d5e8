/** `loginAs` of `svc-auth/testing`: sessions for tests of an application. */
import supertest from 'supertest';
import { createAuthRouter, requireSession } from 'svc-auth';
import { loginAs } from 'svc-auth/testing';
import { proProviders } from '../../support/make-pro-service.js';
import type { SiteOptions } from '../../support/http-site.js';
import type { OpenSite, Suite } from '../matrix.js';

export const loginAsSuite: Suite = (open: OpenSite, express) => {
  /** An application of the kind that users of the package test, and its site. */
  async function openApp(options: SiteOptions = {}) {
    const site = await open({ pro: true, ...options });
    const app = express();
    app.use('/api/auth', createAuthRouter(site.service));
    app.get('/me', requireSession(site.service), (req, res) => void res.json(req.user));
    return { site, app };
  }

  describe('loginAs', () => {
    it('returns an agent of supertest that is signed in, and sends no mail', async () => {
      const { site, app } = await openApp();
      const email = site.uniqueEmail();
      const session = await loginAs(app, { email, roles: ['admin'], metadata: { plan: 'pro' } });
      const agent = session.agent(supertest);
      const { body } = await agent.get('/me').expect(200);
      expect(body).toMatchObject({
        id: session.user.id,
        email,
        emailVerified: true,
        metadata: { plan: 'pro' },
      });
      expect(await site.service.users.get(session.user.id)).toMatchObject({ roles: ['admin'] });
      expect(site.mail.messages).toEqual([]);
      // A real session: it ends with a sign-out.
      await agent.post('/api/auth/logout').expect(200);
      await agent.get('/me').expect(401);
    });

    it('returns the cookie header, the token, and the cookies of a browser', async () => {
      const { site, app } = await openApp();
      const { cookie, token, cookies } = await loginAs(app, site.uniqueEmail());
      await supertest(app).get('/me').set('Cookie', cookie).expect(200);
      await supertest(app).get('/me').set('Authorization', `Bearer ${token}`).expect(200);
      const expected = { name: 'svc_session', value: token, path: '/', httpOnly: true, sameSite: 'Lax' };
      expect(cookies('http://localhost:3000')).toEqual([{ ...expected, domain: 'localhost', secure: false }]);
      expect(cookies('https://acme.test')).toEqual([{ ...expected, domain: 'acme.test', secure: true }]);
    });

    it('signs in existing users by id and by address, and creates users once', async () => {
      const { site, app } = await openApp();
      const { user, email } = await site.signUp();
      for (const who of [user, { id: user.id as string }, email, { email, roles: ['admin'] }])
        expect((await loginAs(app, who)).user.id).toBe(user.id);
      const address = site.uniqueEmail();
      const sessions = await Promise.all(Array.from({ length: 5 }, () => loginAs(app, address)));
      expect(new Set(sessions.map((each) => each.user.id)).size).toBe(1);
      await expect(loginAs(app, { id: '0190f6a0-0000-7000-8000-000000000001' })).rejects.toThrow('no user');
      await expect(loginAs(app, 'not an address')).rejects.toMatchObject({ code: 'invalid_request' });
    });

    it('works with every configuration: closed sign-up, secure cookies, no sign-in method', async () => {
      const cookie = { name: '__Host-id', secure: true, sameSite: 'strict' as const };
      const providers = { emailCode: undefined, magicLink: undefined, emailPassword: undefined };
      const { site, app } = await openApp({
        service: { signUp: { enabled: false }, session: { cookie }, providers },
      });
      const session = await loginAs(app, site.uniqueEmail());
      expect(session.cookies('https://acme.test')).toMatchObject([{ name: '__Host-id', sameSite: 'Strict' }]);
      await session.agent(supertest).get('/me').expect(200);
    });

    it('sets the age of the sign-in and the second factor', async () => {
      const { site, app } = await openApp({ service: { providers: proProviders } });
      const guarded = express();
      guarded.get('/mfa', requireSession(site.service, { mfa: true }), (_req, res) => void res.json({}));
      const email = site.uniqueEmail();
      const [one, two] = [await loginAs(guarded, email), await loginAs(guarded, email, { twoFactors: true })];
      await one.agent(supertest).get('/mfa').expect(403);
      await two.agent(supertest).get('/mfa').expect(200);
      const signedInAt = new Date(site.clock.now() - 60 * 60_000);
      const { token } = await loginAs(app, email, { signedInAt });
      const devices = await site.service.sessionsProvider.listDevices(one.user.id);
      expect(devices.some(({ createdAt }) => createdAt.getTime() === signedInAt.getTime())).toBe(true);
      expect(token).not.toBe(one.token);
    });

    it('refuses a blocked user', async () => {
      const { site, app } = await openApp();
      const { user } = await site.signInByCode();
      await site.service.users.block(user.id as string, { reason: 'Spam' });
      await expect(loginAs(app, user)).rejects.toMatchObject({ code: 'user_blocked' });
    });

    it('takes the service of an application that has none or several', async () => {
      const { site, app } = await openApp();
      const { service } = await open();
      const outer = express();
      outer.use('/inner', app);
      const both = express();
      for (const each of [site.service, service]) both.get('/me', requireSession(each), () => undefined);
      await expect(loginAs(express(), site.uniqueEmail())).rejects.toThrow('no service');
      await expect(loginAs(both, site.uniqueEmail())).rejects.toThrow('several services');
      const session = await loginAs(outer, site.uniqueEmail(), { service: site.service });
      await session.agent(supertest).get('/inner/me').expect(200);
      const nested = express.Router();
      nested.use('/deep', createAuthRouter(site.service));
      const found = await loginAs(express().use('/nested', nested), site.uniqueEmail());
      expect(await site.service.getSessionUser(found.token)).toEqual(found.user);
      expect((await loginAs(site.service, site.uniqueEmail())).token).toBeDefined();
    });

    it('refuses to run in production', async () => {
      const { site, app } = await openApp();
      const before = process.env['NODE_ENV'];
      process.env['NODE_ENV'] = 'production';
      try {
        await expect(loginAs(app, site.uniqueEmail())).rejects.toThrow('production');
      } finally {
        process.env['NODE_ENV'] = before;
      }
    });
  });
};
