/** Requests that are refused because of an option or a route of an application, by their reason. For tests/http/reasons.test.ts. */
import express from 'express';
import * as z from 'zod';
import { asyncRoute, NotAuthorizedError, RateLimitError, serviceErrorHandler } from 'svc-auth';
import { createAdminPages } from '../../src/admin.js';
import { codeAt } from '../support/authenticator-app.js';
import { validPassword, type Site, type SiteOptions } from '../support/http-site.js';
import { makeService } from '../support/make-service.js';
import { addPasskey, enrollTotp } from '../support/site-actions.js';
import { cookieOf, withTotp, type Produce } from './reason-scenarios.js';

const hour = 60 * 60_000;
const password = validPassword;

const signUp: Produce = (site) => site.post('/password/signup', { email: site.uniqueEmail(), password });
const challenged: SiteOptions = { service: { signUp: { challenge: { after: 0, cost: 1 } } } };

/** The application's own routes, which call the service and throw. */
const ownRoutes: SiteOptions = {
  after: (app, { service }) => {
    app.use('/app/admin-pages', createAdminPages(service, { authorize: () => true }));
    app.post('/app/queue', () => {
      throw new RateLimitError(1000);
    });
    app.post('/app/refuse', () => {
      throw new NotAuthorizedError();
    });
    app.post(
      '/app/upgrade',
      express.json(),
      asyncRoute(async (req, res) => {
        await service.sessionsProvider.upgrade(req.body as never);
        res.json({});
      }),
    );
    app.post(
      '/app/impersonate',
      express.json(),
      asyncRoute(async (req, res) => {
        const { adminId, userId } = req.body as { adminId: string; userId: string };
        await service.sessionsProvider.impersonate(adminId, userId);
        res.json({});
      }),
    );
    app.post(
      '/app/key',
      express.json(),
      asyncRoute(async (req, res) => {
        const { userId, actingUserId } = req.body as { userId: string; actingUserId: string };
        await service.apiKeys.create({ userId, name: 'key' }, { actingUserId });
        res.json({});
      }),
    );
    app.use(serviceErrorHandler(service));
  },
};

async function wrongPasswords(site: Site, email: string, count: number) {
  for (let i = 0; i < count; i += 1) await site.post('/password/login', { email, password: 'wrong' });
  return site.post('/password/login', { email, password: 'wrong' });
}

export const configuredReasons: Readonly<Record<string, readonly [SiteOptions, Produce]>> = {
  sign_up_disabled: [{ service: { signUp: { enabled: false } } }, signUp],
  email_disposable: [
    { service: { signUp: { disposable: { refuse: true, list: ['example.com'] } } } },
    signUp,
  ],
  challenge_required: [challenged, signUp],
  challenge_invalid: [
    challenged,
    (site) => site.post('/password/signup', { email: 'a@example.com', password, challengeSolution: 'x' }),
  ],
  permission: [
    { admin: { authorize: () => false } },
    async (site) => site.get('/admin/users/count', { cookie: (await site.signUp()).cookie }),
  ],
  fields_required: [
    {
      service: {
        signUp: {
          fields: z.object({ company: z.string() }),
        },
      },
    },
    async (site) => {
      const email = site.uniqueEmail();
      await site.post('/email-code/send', { email });
      return site.post('/email-code/verify', { email, code: site.mail.lastCode(email) });
    },
  ],
  org_creation_refused: [
    { service: { providers: { orgs: { create: false } } } },
    async (site) => site.post('/orgs', { name: 'Acme' }, { cookie: (await site.signInByCode()).cookie }),
  ],
  issuer_mismatch: [
    { service: { session: { issuer: 'https://one.test' } } },
    async (site) => {
      const { user } = await site.signUp();
      const { service } = await makeService({
        clock: site.clock,
        session: { issuer: 'https://two.test' },
      });
      return site.get('/session', { cookie: cookieOf(service.createSessionToken(user.id).token) });
    },
  ],
  sign_up_ended: [
    { service: { signUp: { revealExisting: false } } },
    (site) => site.post('/password/signup/verify', { token: 'a.b', code: '123456' }),
  ],
  second_factor_unavailable: [
    {},
    async (site) => site.post('/mfa/email/send', undefined, { cookie: (await withTotp(site)).pending }),
  ],
  second_factor_skipped: [
    {},
    async (site) => {
      const { secret, pending, email } = await withTotp(site);
      site.clock.advance(60_000);
      const body = { code: codeAt(secret, site.clock.now()), trustBrowser: true };
      const trusted = (await site.post('/mfa/verify', body, { cookie: pending })).cookie('svc_trust');
      await site.post('/email-code/send', { email });
      const code = site.mail.lastCode(email);
      const again = await site.post('/email-code/verify', { email, code }, { cookie: trusted });
      return site.send('POST', '/totp/disable', {}, { cookie: again.cookie() });
    },
  ],
  'limit:login:address': [
    { service: { rateLimit: { login: { perAddress: { max: 3, windowMs: 24 * hour } } } } },
    async (site) => wrongPasswords(site, (await site.signUp()).email, 5),
  ],
  'limit:login:address-ip': [{}, async (site) => wrongPasswords(site, (await site.signUp()).email, 12)],
  'limit:send:email_code': [
    {},
    async (site) => {
      const email = site.uniqueEmail();
      for (let i = 0; i < 5; i += 1) await site.post('/email-code/send', { email });
      return site.post('/email-code/send', { email });
    },
  ],
  unspecified: [ownRoutes, (site) => site.send('POST', '/app/refuse')],
  identity_taken: [
    ownRoutes,
    async (site) => {
      const identity = { provider: 'idp', providerAccountId: 'one' };
      const { sessionsProvider } = site.service;
      const [first, second] = [await sessionsProvider.createGuest(), await sessionsProvider.createGuest()];
      await sessionsProvider.upgrade({ userId: first.user.id, ...identity });
      return site.send('POST', '/app/upgrade', { userId: second.user.id, ...identity });
    },
  ],
  impersonation_refused: [
    ownRoutes,
    async (site) => {
      const [admin, user] = [await site.signUp('never@example.com'), await site.signUp()];
      return site.send('POST', '/app/impersonate', { adminId: admin.user.id, userId: user.user.id });
    },
  ],
  other_user: [
    ownRoutes,
    async (site) => {
      const [user, other] = [await site.signInByCode(), await site.signInByCode()];
      return site.send('POST', '/app/key', { userId: user.user.id, actingUserId: other.user.id });
    },
  ],
  form_token: [
    ownRoutes,
    async (site) => {
      const { cookie } = await site.signUp();
      const headers = { 'Content-Type': 'application/x-www-form-urlencoded', Origin: site.origin };
      return site.send('POST', '/app/admin-pages/users/new', 'email=a', { cookie, headers });
    },
  ],
  passkey_other_user: [
    {
      service: {
        providers: { webauthn: { rpId: 'app.test', origins: ['https://app.test'], secondFactor: true } },
      },
    },
    async (site) => {
      const victim = await addPasskey(site, (await site.signInByCode()).cookie);
      const { email, cookie } = await site.signInByCode();
      await addPasskey(site, cookie);
      await enrollTotp(site, cookie);
      await site.post('/email-code/send', { email });
      const first = await site.post('/email-code/verify', { email, code: site.mail.lastCode(email) });
      const pending = first.cookie('svc_mfa');
      const start = await site.post('/mfa/passkey/start', undefined, { cookie: pending });
      const response = victim.get({ ...start.json.options, allowCredentials: [] });
      const cookies = `${pending}; ${start.cookie('svc_webauthn')}`;
      return site.post('/mfa/passkey/finish', { response }, { cookie: cookies });
    },
  ],
};
