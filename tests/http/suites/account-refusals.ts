/** What the routes of /account and /guest refuse, without any effect (docs/http-api.md). */
import { createProRouter } from 'svc-auth';
import { outbox } from 'svc-auth/testing';
import type { HttpResponse } from '../../support/http-client.js';
import { validPassword, type Site, type SiteOptions } from '../../support/http-site.js';
import type { OpenSite } from '../matrix.js';
import { expectError } from './expect.js';

const minute = 60_000;

type Route = [method: string, path: string, body?: object];

const fresh: Route[] = [
  ['POST', '/account/password', { currentPassword: validPassword, newPassword: 'battery staple' }],
  ['POST', '/account/email', { email: 'new@example.com' }],
  ['POST', '/account/email/confirm', { email: 'new@example.com', code: '123456', currentCode: '123456' }],
  ['GET', '/account/export'],
  ['DELETE', '/account'],
];
const own: Route[] = [
  ['POST', '/account/verify-email', { code: '123456' }],
  ['POST', '/guest/upgrade/send', { email: 'new@example.com' }],
  ['POST', '/guest/upgrade', { email: 'new@example.com', code: '123456' }],
  ['POST', '/guest/upgrade', { email: 'new@example.com', password: validPassword }],
];
const anySession: Route[] = [
  ['GET', '/account'],
  ['POST', '/account/verify-email/send'],
];
const all = [...fresh, ...own, ...anySession];

export function accountRefusals(open: OpenSite): void {
  const openPro = ({ service, ...options }: SiteOptions = {}) => {
    const mail = outbox();
    const providers = { account: { sender: mail }, sessions: { canImpersonate: () => true } };
    return open({ pro: true, ...options, service: { mail, providers, ...service } });
  };
  const call = (site: Site, [method, path, body]: Route, options: Parameters<Site['send']>[3]) =>
    site.send(method, path, body, options);
  const stillThere = async (site: Site, cookie: string) =>
    expect((await site.get('/session', { cookie })).status).toBe(200);

  describe('refusals of the account routes', () => {
    it.each(all)(
      '%s %s returns 401 token_invalid without a session and with an invalid one',
      async (...route) => {
        const site = await openPro();
        const ended = await site.signUp();
        await site.post('/logout', undefined, { cookie: ended.cookie });
        for (const cookie of [undefined, 'svc_session=x', ended.cookie]) {
          expectError(await call(site, route, { cookie }), 401, 'token_invalid');
        }
      },
    );

    //
    it.each(fresh)(
      '%s %s returns 403 reauth_required ten minutes after the sign-in, and accepts a new sign-in',
      async (...route) => {
        const site = await openPro();
        const { cookie, email } = await site.signUp();
        site.clock.advance(10 * minute);
        expect((await call(site, route, { cookie })).json.error).not.toBe('reauth_required');
        const again = await site.post('/password/login', {
          email,
          password: route[1] === '/account/password' ? 'battery staple' : validPassword,
        });
        if (again.status !== 200) return expect(route).toEqual(['DELETE', '/account']);
        const later = again.cookie();
        site.clock.advance(10 * minute + 1);
        expectError(await call(site, route, { cookie: later }), 403, 'reauth_required');
        await stillThere(site, later);
      },
    );

    it.each([...own, ...anySession])('%s %s requires no recent sign-in', async (...route) => {
      const site = await openPro();
      const { cookie } = await site.signUp();
      site.clock.advance(23 * 60 * minute);
      expect((await call(site, route, { cookie })).json.error).not.toBe('reauth_required');
    });

    it('freshMs sets for how long a sign-in is recent', async () => {
      const site = await openPro({ pro: { freshMs: 1000 } });
      const { cookie } = await site.signUp();
      site.clock.advance(1000);
      expect((await site.get('/account/export', { cookie })).status).toBe(200);
      site.clock.advance(1);
      expectError(await site.get('/account/export', { cookie }), 403, 'reauth_required');
    });

    it.each([Number.NaN, Infinity, 0, -1, '600000', null])(
      'createProRouter rejects a freshMs of %p',
      async (freshMs) => {
        const { service } = await openPro();
        const refused = expect.objectContaining({ code: 'config_invalid' }) as Error;
        for (const options of [{ freshMs }, { freshMS: 1000 }]) {
          expect(() => createProRouter(service, options as object)).toThrow(refused);
        }
        expect(() => createProRouter(service, { freshMs: undefined, successRedirect: '/' })).not.toThrow();
      },
    );

    it.each([...fresh, ...own])('%s %s returns 403 not_authorized to an impersonator', async (...route) => {
      const site = await openPro();
      const [admin, { user, cookie }] = [await site.signUp(), await site.signUp()];
      const { token } = await site.service.sessionsProvider.impersonate(admin.user.id, user.id);
      for (const options of [
        { cookie: `svc_session=${token}` },
        { headers: { Authorization: `Bearer ${token}` } },
      ]) {
        expectError(await call(site, route, options), 403, 'not_authorized');
      }
      await stillThere(site, cookie);
      expect(site.mail.messages).toEqual([]);
    });

    //
    it.each(all.filter(([method]) => method !== 'GET'))(
      '%s %s returns 403 not_authorized to a page of another site',
      async (...route) => {
        const site = await openPro();
        const { cookie } = await site.signUp();
        for (const headers of [
          { 'Sec-Fetch-Site': 'cross-site' },
          { 'Sec-Fetch-Site': 'same-site', Origin: 'https://evil.test' },
          { Origin: 'https://evil.test' },
          { Origin: 'null' },
        ] as Record<string, string>[]) {
          expectError(await call(site, route, { cookie, headers }), 403, 'not_authorized');
        }
        await stillThere(site, cookie);
        expect(site.mail.messages).toEqual([]);
      },
    );

    const bodies = all.flatMap(([method, path, body]) =>
      Object.keys(body ?? {}).map((field) => [method, path, body!, field] as const),
    );
    it.each(bodies)(
      '%s %s of %o returns 400 invalid_request for a %s of another type',
      async (method, path, body, field) => {
        const site = await openPro();
        const { cookie } = await site.signUp();
        for (const odd of [42, null, {}, [], true]) {
          const response = await site.send(method, path, { ...body, [field]: odd }, { cookie });
          expectError(response, 400, 'invalid_request');
        }
        for (const raw of ['email=x', '{"email":', '[]', '"x"']) {
          const headers = { 'Content-Type': raw.startsWith('email') ? 'text/plain' : 'application/json' };
          expectError(await site.send(method, path, raw, { cookie, headers }), 400, 'invalid_request');
        }
      },
    );

    it.each(all)('%s %s returns 501 license_required without a license', async (...route) => {
      const site = await openPro({ service: { licenseKey: undefined, licensePublicKey: undefined } });
      const { cookie } = await site.signUp();
      expectError(await call(site, route, { cookie }), 501, 'license_required');
      await stillThere(site, cookie);
    });

    it.each(all)(
      '%s %s returns 501 provider_not_configured if its provider is not configured',
      async (...route) => {
        const [, path] = route;
        const providers = { account: undefined, sessions: undefined, emailPassword: undefined };
        const site = await openPro({ service: { providers } });
        const { cookie } = await site.signInByCode();
        expectError(await call(site, route, { cookie }), 501, 'provider_not_configured');
        if (!['/account/verify-email/send', '/account/email'].includes(path)) return;
        const without = await openPro({ service: { providers: { account: true } } });
        const { cookie: there } = await without.signUp();
        expectError(await call(without, route, { cookie: there }), 501, 'provider_not_configured');
      },
    );

    it('POST /guest/upgrade returns 501 provider_not_configured if its sign-in method is not configured', async () => {
      const site = await openPro({
        service: { providers: { sessions: true, emailCode: undefined, emailPassword: undefined } },
      });
      const { token } = await site.service.sessionsProvider.createGuest();
      const cookie = `svc_session=${token}`;
      for (const route of own.slice(1)) {
        const response: HttpResponse = await call(site, route, { cookie });
        expectError(response, 501, 'provider_not_configured');
      }
    });

    it.each(own.slice(1))(
      '%s %s returns 403 not_authorized to a user who is not a guest',
      async (...route) => {
        const site = await openPro();
        const { cookie } = await site.signUp();
        expectError(await call(site, route, { cookie }), 403, 'not_authorized');
        expect(site.mail.messages).toEqual([]);
      },
    );
  });
}
