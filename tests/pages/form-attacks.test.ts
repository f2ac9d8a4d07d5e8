// Attacks on every form and page of the router: forged forms and cookies, frames, caches, oversized requests, and responses that differ.
import { memoryAdapter } from 'svc-auth';
import { createAdminPages } from 'svc-auth/admin';
import { createOAuthServer } from 'svc-auth/oauth-server';
import { createPages } from 'svc-auth/pages';
import { outbox, smsOutbox } from 'svc-auth/testing';
import express, { type Router } from 'express';
import * as z from 'zod';
import { encryptionKey, everyProvider } from '../support/every-provider.js';
import type { HttpResponse } from '../support/http-client.js';
import { openSite, validPassword as password, type Site } from '../support/http-site.js';
import { license, unknownId } from '../support/make-pro-service.js';
import { pageVisitor } from '../support/page-visitor.js';

const form = 'application/x-www-form-urlencoded';
const formToken = 'x'.repeat(22);

/** The cookie of a flow, as an attacker on a sibling subdomain could set it. */
const planted = (flow: object) => `svc_pages=${Buffer.from(JSON.stringify(flow)).toString('base64url')}`;

describe('the routes of the pages', () => {
  let site: Site;
  let router: Router;

  async function open() {
    const mail = outbox();
    const providers = everyProvider({ mail, sms: smsOutbox() });
    site = await openSite(express, memoryAdapter(), {
      pro: true,
      service: {
        ...license,
        encryptionKey,
        mail,
        audit: true,
        usernames: { enabled: true },
        // For the step that asks for them after a provider.
        signUp: { fields: z.object({ company: z.string().optional() }) },
        rateLimit: { maxPerWindow: 100_000 },
        providers: {
          ...providers,
          emailPassword: { ...providers.emailPassword, verifyEmail: 'send' as const },
        },
      },
      before(app) {
        app.use((_req, res, next) => {
          res.setHeader('Cache-Control', 'public');
          next();
        });
      },
      after(app, { service }) {
        router = createPages(service, { name: 'Acme' });
        const resources = { 'https://app.test/mcp': { scopes: { read: 'Read' } } };
        createOAuthServer(service, { issuer: 'https://app.test', resources });
        app.use('/app/admin', createAdminPages(service, { authorize: () => true }));
        app.use('/app', router);
      },
    });
  }
  beforeEach(open);
  afterEach(() => site.close());

  /** Every path of a method, from the router itself: a new form is attacked without a change of this test. */
  function pathsOf(method: 'get' | 'post'): string[] {
    const paths = router.stack.flatMap(({ route }) =>
      route && (route as unknown as { methods: Record<string, boolean> }).methods[method] ? [route.path] : [],
    );
    // With the devices of `providers.sessions`, the page of the devices ends the sign-ins of apps.
    const offered = paths.filter((path) => !path.includes('/tokens/apps/'));
    return offered.map((path) => `/app${path.replace(/:\w+/g, unknownId)}`);
  }

  /** A signed-in account with a verified address. */
  async function account() {
    const { email, cookie, user } = await site.signInByCode();
    return { email, cookie, id: user.id as string };
  }

  const fieldsFor = (email: string) => ({
    email,
    code: '123456',
    password,
    current: password,
    name: 'Mallory',
    username: 'mallory',
    phone: '+14155550100',
    role: 'owner',
    confirm: 'yes',
    token: 'token',
  });

  const send = (
    path: string,
    fields: Record<string, string>,
    headers: Record<string, string>,
    cookie: string,
  ) =>
    site.send('POST', path, new URLSearchParams(fields).toString(), {
      headers: { 'Content-Type': form, ...headers },
      cookie,
    });

  /** What the forms could have changed. */
  async function stateOf(id: string, cookie: string) {
    const user = await site.service.users.get(id);
    const session = await site.get('/session', { cookie });
    return [user, session.status, site.mail.messages.length];
  }

  it('have forms to attack', () => {
    expect(pathsOf('post').length).toBeGreaterThan(60);
    expect(pathsOf('get').length).toBeGreaterThan(60);
  });

  it.each([
    ['without a token', {}],
    ['with the token of another browser', { form_token: 'y'.repeat(22) }],
  ])('no form %s changes, mails or starts anything', async (_case, token) => {
    const { email, cookie, id } = await account();
    const before = await stateOf(id, cookie);
    for (const path of pathsOf('post')) {
      const cookies = `${cookie}; ${planted({ formToken, email })}`;
      const response = await send(path, { ...fieldsFor(email), ...token }, {}, cookies);
      expect([path, response.status < 500]).toEqual([path, true]);
      expect([path, response.cookies.filter(({ name }) => name === 'svc_session')]).toEqual([path, []]);
      expect([path, await stateOf(id, cookie)]).toEqual([path, before]);
    }
  });

  it.each([
    ['of another site', { Origin: 'https://evil.test', 'Sec-Fetch-Site': 'cross-site' }],
    ['of a sibling subdomain', { Origin: 'https://evil.app.test', 'Sec-Fetch-Site': 'same-site' }],
    ['of an opaque origin', { Origin: 'null', 'Sec-Fetch-Site': 'cross-site' }],
  ])('every form %s is refused, also with a cookie that the attacker has planted', async (_case, headers) => {
    const { email, cookie, id } = await account();
    const before = await stateOf(id, cookie);
    for (const path of pathsOf('post')) {
      const fields = { ...fieldsFor(email), form_token: formToken };
      const response = await send(path, fields, headers, `${cookie}; ${planted({ formToken, email })}`);
      expect([path, response.status]).toEqual([path, 403]);
    }
    expect(await stateOf(id, cookie)).toEqual(before);
  });

  it('every page forbids frames and caches, signed in and out, and HEAD changes nothing', async () => {
    const { cookie, id } = await account();
    const before = await stateOf(id, cookie);
    for (const path of pathsOf('get').filter((each) => !/\/assets\/|\/[.]well-known\//.test(each)))
      for (const cookies of ['', cookie])
        for (const method of ['GET', 'HEAD']) {
          const { headers, status } = await site.send(
            method,
            path,
            undefined,
            cookies ? { cookie: cookies } : {},
          );
          expect([path, status < 500]).toEqual([path, true]);
          expect([path, headers['cache-control']]).toEqual([path, 'no-store']);
          expect([path, headers['x-frame-options']]).toEqual([path, 'DENY']);
          expect([path, headers['content-security-policy']]).toEqual([
            path,
            expect.stringContaining("frame-ancestors 'none'"),
          ]);
        }
    expect(await stateOf(id, cookie)).toEqual(before);
  });

  it('a forged cookie leads to no other site, becomes no markup, and breaks no page', async () => {
    const { cookie } = await account();
    const attack = '"><script>alert(1)</script>';
    const hostile = [
      {
        formToken,
        email: attack,
        phone: attack,
        next: 'https://evil.test',
        newEmail: attack,
        newPhone: attack,
      },
      {
        formToken,
        email: { $ne: null },
        next: ['//evil.test'],
        newEmail: 1,
        mailedFor: {},
        remember: 'false',
      },
      { formToken, next: '//evil.test', email: 'x'.repeat(2_500), newPhone: '\u0000', mailedFor: attack },
      { formToken: attack, ['__proto__']: { next: '//evil.test' } },
    ];
    for (const flow of hostile)
      for (const path of pathsOf('get').filter((each) => !/\/assets\/|\/[.]well-known\//.test(each)))
        for (const cookies of [planted(flow), `${cookie}; ${planted(flow)}`]) {
          const page = await site.send('GET', path, undefined, { cookie: cookies });
          expect([path, page.status < 500]).toEqual([path, true]);
          expect([path, page.text.includes('<script>alert')]).toEqual([path, false]);
          expect([path, page.location ?? '/']).toEqual([path, expect.stringMatching(/^\/(?![/\\])/)]);
        }
  });

  it('no parameter leads to another site', async () => {
    const names = [
      'next',
      'state',
      'redirect',
      'redirectTo',
      'returnTo',
      'url',
      'continue',
      'error',
      'token',
    ];
    for (const value of [
      'https://evil.test',
      '//evil.test',
      '/\\evil.test',
      '/\t/evil.test',
      'javascript:alert(1)',
    ]) {
      const query = new URLSearchParams(names.map((name): [string, string] => [name, value])).toString();
      for (const path of pathsOf('get').filter((each) => !/\/assets\/|\/[.]well-known\//.test(each))) {
        const page = await site.send('GET', `${path}?${query}`, undefined, {});
        expect([path, page.location ?? '/']).toEqual([path, expect.stringMatching(/^\/(?![/\\\t])/)]);
        expect([path, /(?:href|action|url)="?(?:https?:)?[/\\]{2}/.exec(page.text)]).toEqual([path, null]);
      }
    }
  });

  it('a body that is too long or malformed is refused by every form, without a failure', async () => {
    const { email } = await account();
    const bodies = [
      `email=${'x'.repeat(300_000)}`,
      'a=1&'.repeat(5_000),
      '%',
      `email=%00&form_token=${formToken}`,
    ];
    for (const path of pathsOf('post'))
      for (const body of bodies) {
        const { status } = await site.send('POST', path, body, {
          headers: { 'Content-Type': form },
          cookie: planted({ formToken, email }),
        });
        expect([path, status < 500]).toEqual([path, true]);
      }
  });

  /** A step of a sign-in, with an address that has an account and with one that has none. */
  it.each([
    ['/sign-in', {}],
    ['/sign-in/password', { password: 'a wrong password' }],
    ['/sign-in/password/use-code', {}],
    ['/sign-in/password/use-link', {}],
    ['/sign-in/code', { code: '000000' }],
    ['/sign-in/code/again', {}],
    ['/sign-in/link/again', {}],
    ['/reset', {}],
    ['/reset/code', { code: '000000', password }],
  ])('%s responds the same whether or not the address has an account', async (path, fields) => {
    const { email } = await account();
    const unknown = `${'u'.repeat(email.indexOf('@'))}${email.slice(email.indexOf('@'))}`;
    const responses: unknown[] = [];
    for (const address of [email, unknown]) {
      const browser = pageVisitor(site);
      await browser.get('/app/sign-in');
      const post = (to: string, more: Record<string, string>) =>
        send(
          `/app${to}`,
          { email: address, flow_email: address, form_token: formToken, ...more },
          {},
          planted({ formToken, email: address }),
        );
      // Both addresses have a mailed code, as far as anyone can see.
      if ('code' in fields) await post(path === '/reset/code' ? '/reset' : '/sign-in/password/use-code', {});
      const response = await post(path, fields);
      expect([303, 422]).toContain(response.status);
      expect(response.text).not.toContain('This page has expired.');
      responses.push(comparable(response, address));
    }
    expect(responses[1]).toEqual(responses[0]);
  });

  function comparable({ status, headers, text, cookies }: HttpResponse, address: string) {
    const { date: _date, 'set-cookie': _cookies, ...others } = headers;
    return { status, others, text: text.replaceAll(address, '@'), cookies: cookies.map(({ name }) => name) };
  }

  it('an address or number of 10 kB is refused next to its field, and no cookie exceeds 4096 bytes', async () => {
    for (const [path, field] of [
      ['/sign-in', 'email'],
      ['/sign-up', 'email'],
      ['/reset', 'email'],
      ['/sign-in/phone', 'phone'],
    ] as const) {
      const browser = pageVisitor(site);
      const page = await browser.get(`/app${path}?next=/${'n'.repeat(5_000)}`);
      const refused = await browser.press(path, { [field]: `${'1'.repeat(10_000)}@example.com`, password });
      expect(refused.status).toBe(422);
      expect(refused.text).toContain(`id="field-${field}-error"`);
      const cookies = [...page.cookies, ...refused.cookies];
      for (const { name, value } of cookies) expect(name.length + value.length).toBeLessThan(4_096);
    }
  });

  //
  it('a malformed path is answered with the headers of a page, whatever the application has set', async () => {
    const headers = {
      'cache-control': 'no-store',
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
    };
    for (const path of ['/app/account/security/passkeys/%ff/rename', '/app/admin/users/%ff', '/app/%ff']) {
      const response = await site.send('GET', path, undefined, { skipChecks: true });
      if (response.status !== 404)
        expect([path, response.headers]).toEqual([path, expect.objectContaining(headers)]);
      if (path !== '/app/%ff') expect(response.status).toBe(400);
    }
  });
});
