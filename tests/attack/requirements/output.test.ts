// Responses, cross-site access and logs, for every route and method.
import type { Express } from 'express';
import { memoryAdapter, optionalSession, requireSession, type StorageAdapter } from 'svc-auth';
import { documentedRoutes } from '../../support/documented-responses.js';
import type { SetCookie } from '../../support/http-client.js';
import type { Site } from '../../support/http-site.js';
import { ignorePasswords } from '../../support/leak-scan.js';
import { bodiesOf, callRoute, everyRoute, type Route } from '../../support/every-route.js';
import { isSignedIn } from '../../support/site-actions.js';
import { fullSiteOpener } from '../../support/full-site.js';
import { both } from '../../support/link-pages.js';

ignorePasswords();

const json = { 'Content-Type': 'application/json' };
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const changing = everyRoute.filter(({ method }) => method !== 'GET');
/**
 * The provider's page is another site, and its form post only redirects the browser: it changes nothing and reads no cookie. The page
 * that confirms a link refuses a cross-site form by showing itself again (http/suites/link-confirmation.ts).
 */
const isForm = ({ name }: Route) =>
  ['POST /oauth/:name/callback', 'POST /magic-link/verify', 'POST /not-me'].includes(name);
const reason = 'connect ECONNREFUSED db.internal:5432 password=hunter2-of-the-database';

/** Whether a cookie contains a session or a pending sign-in. */
const isEntry = ({ name, value }: SetCookie) => value !== '' && /^svc_(session|mfa)$/.test(name);

/** Returns an adapter on which every call fails, as if the database were down. */
function broken(adapter: StorageAdapter): StorageAdapter {
  const failing = (target: object): object =>
    new Proxy(target, {
      get(object, key, receiver) {
        const value: unknown = Reflect.get(object, key, receiver);
        if (typeof value === 'function') return () => Promise.reject(new Error(reason));
        return typeof value === 'object' && value !== null ? failing(value) : value;
      },
    });
  return {
    ...(failing({ ...adapter }) as StorageAdapter),
    init: async () => undefined,
    close: async () => undefined,
  };
}

describe('HTTP responses and logs', () => {
  const memory = memoryAdapter();
  const open = fullSiteOpener(() => memory);

  //
  it('declares every response body as UTF-8 JSON with nosniff, and allows no cross-origin reads', async () => {
    const site = await open();
    const { cookie } = await site.signInByCode();
    for (const route of everyRoute) {
      if (route.path === '/logout' || (route.method === 'DELETE' && route.path === '/account')) continue;
      // Without `notices`, Express responds.
      if (route.path === '/not-me') continue;
      for (const options of [
        {},
        { cookie },
        { cookie, headers: { Accept: 'text/html', Origin: 'https://evil.test' } },
      ]) {
        const { headers, text } = await callRoute(site, route, options);
        expect([route.name, headers['x-content-type-options']]).toEqual([route.name, 'nosniff']);
        const type = text === '' ? undefined : 'application/json; charset=utf-8';
        expect([route.name, headers['content-type']]).toEqual([route.name, type]);
        const cors = Object.keys(headers).filter((name) => name.startsWith('access-control-'));
        expect([route.name, cors]).toEqual([route.name, []]);
      }
    }
  });

  //
  it('returns 404 or 405 for an unknown method and changes nothing, also if a header or field overrides the method', async () => {
    const site = await open();
    const { cookie, user } = await site.signInByCode();
    const exportData = async () => ({
      ...(await site.service.account.exportData(user.id)),
      exportedAt: null,
    });
    const before = await exportData();
    for (const path of new Set(everyRoute.map((route) => route.path))) {
      // `/devices/revoke-others` also matches the route of a device with that id.
      const routes = documentedRoutes.filter(({ pattern }) => pattern.test(path));
      const routeMethods = new Set(routes.map(({ method }) => method.toUpperCase()));
      const schema = everyRoute.find((route) => route.path === path && route.schema)?.schema;
      const body = schema && bodiesOf(schema)[0];
      for (const method of [...methods, 'PROPFIND', 'SEARCH'].filter((each) => !routeMethods.has(each))) {
        const { status, cookies } = await site.send(method, path, body, { cookie });
        expect([method, path, status, cookies]).toEqual([method, path, status === 405 ? 405 : 404, []]);
      }
      if (routeMethods.has('DELETE')) continue;
      const headers = {
        'X-HTTP-Method-Override': 'DELETE',
        'X-HTTP-Method': 'DELETE',
        'X-Method-Override': 'DELETE',
      };
      await site.send('GET', `${path}?_method=DELETE`, undefined, { cookie, headers });
    }
    for (const path of ['/account', '/devices/x', '/session'])
      await site.send('OPTIONS', path, undefined, { cookie, skipChecks: true });
    expect(await exportData()).toEqual(before);
    expect(await isSignedIn(site, cookie)).toBe(true);
    for (const path of [
      '/SESSION',
      '/session/',
      '/session/x',
      '/%73ession',
      '//session',
      '/account/../session',
    ]) {
      expect([200, 404]).toContain((await site.get(path, { cookie, skipChecks: true })).status);
    }
  });

  //
  it('takes the client address, protocol and origin from the connection and ignores forwarding headers without a trusted proxy', async () => {
    const site = await open();
    const { email, password } = await site.signUp();
    const spoofed = (i: number) => ({
      'X-Forwarded-For': `203.0.113.${i}`,
      'X-Real-IP': `203.0.113.${i}`,
      'X-Client-IP': `203.0.113.${i}`,
      'CF-Connecting-IP': `203.0.113.${i}`,
      'True-Client-IP': `203.0.113.${i}`,
      Forwarded: `for=203.0.113.${i};host=evil.test;proto=https`,
      'X-Forwarded-Host': 'evil.test',
      'X-Forwarded-Proto': 'https',
    });
    const statuses: number[] = [];
    for (let i = 0; i < 11; i += 1) {
      statuses.push(
        (await site.post('/password/login', { email, password: 'wrong' }, { headers: spoofed(i) })).status,
      );
    }
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429]);
    const me = await site.signInByCode(email, { headers: spoofed(99) });
    expect(me.response.cookies[0]!.attributes['secure']).toBeUndefined();
    const { devices } = (await site.get('/devices', me)).json as { devices: { device: { ip?: string } }[] };
    expect(new Set(devices.map(({ device }) => device.ip))).toEqual(new Set(['127.0.0.1']));
    const origin = { ...spoofed(1), Origin: 'https://evil.test' };
    expect((await site.post('/password/login', { email, password }, { headers: origin })).status).toBe(403);
  });

  //
  it('counts an IPv6 network, and both spellings of an IPv4 address, as one client behind a trusted proxy', async () => {
    const site = await open({ trustProxy: true });
    const sameClient = async (addresses: (i: number) => string) => {
      const { email } = await site.signUp();
      const statuses: number[] = [];
      for (let i = 0; i < 11; i += 1) {
        const headers = { 'X-Forwarded-For': addresses(i) };
        statuses.push((await site.post('/password/login', { email, password: 'wrong' }, { headers })).status);
      }
      return statuses.at(-1) === 429;
    };
    expect(await sameClient((i) => `2001:db8:1:2:${i}:${i}::1`)).toBe(true);
    expect(await sameClient((i) => (i % 2 ? '::ffff:198.51.100.7' : '198.51.100.7'))).toBe(true);
    expect(await sameClient((i) => `2001:db8:1:${i}::1`)).toBe(false);
    expect(await sameClient((i) => `198.51.100.${i}`)).toBe(false);
  });

  //
  it('rejects a cross-site request on every route that changes state, before it reads, counts or sends anything', async () => {
    const site = await open();
    const { cookie, user } = await site.signInByCode();
    const exportData = async () => ({
      ...(await site.service.account.exportData(user.id)),
      exportedAt: null,
    });
    const before = await exportData();
    const sent = site.mail.messages.length;
    const foreign: Record<string, string>[] = [
      { 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'same-site' },
      { 'Sec-Fetch-Site': 'cross-site', Origin: site.origin },
      { 'Sec-Fetch-Site': 'nonsense' },
      { Origin: 'https://evil.test' },
      { Origin: 'null' },
      { Origin: '' },
      { Origin: `${site.origin}.evil.test` },
      { Origin: `http://127.0.0.1:${site.port + 1}` },
      { Origin: 'https://evil.test', Host: `127.0.0.1:${site.port}`, 'X-Forwarded-Host': 'evil.test' },
    ];
    for (const route of changing.filter((each) => !isForm(each))) {
      for (const headers of foreign) {
        const response = await callRoute(site, route, { cookie, headers });
        const about = [route.name, JSON.stringify(headers)];
        expect([...about, response.status, response.json.error, response.cookies]).toEqual([
          ...about,
          403,
          'not_authorized',
          [],
        ]);
      }
    }
    await site.settle();
    expect([await exportData(), site.mail.messages.length, site.sms.messages.length]).toEqual([
      before,
      sent,
      0,
    ]);
    expect(await isSignedIn(site, cookie)).toBe(true);
    // Its own pages and clients that are not browsers are accepted.
    for (const headers of [{ 'Sec-Fetch-Site': 'same-origin' }, { Origin: site.origin }, {}] as Record<
      string,
      string
    >[]) {
      expect((await site.post('/devices/revoke-others', undefined, { cookie, headers })).status).toBe(200);
    }
  });

  //
  it('rejects form content types and query parameters as the body of any route', async () => {
    const site = await open({ links: both, service: { session: { bearer: true } } });
    const { cookie } = await site.signInByCode();
    const required = changing.filter(({ schema }) => schema !== undefined);
    for (const route of required) {
      const text = JSON.stringify(bodiesOf(route.schema!)[0]);
      const types = [
        'text/plain',
        'application/x-www-form-urlencoded',
        'multipart/form-data; boundary=x',
        'text/plain; application/json',
        'application/jsonp',
        '',
      ];
      for (const type of types) {
        const response = await callRoute(
          site,
          route,
          { cookie, headers: type ? { 'Content-Type': type } : {} },
          text,
        );
        expect([route.name, type, response.status, response.json.error]).toEqual([
          route.name,
          type,
          400,
          'invalid_request',
        ]);
      }
    }
  });

  //
  it('returns 500 internal_error with a constant message if the storage fails, authenticates no one and logs the reason', async () => {
    const working = await open();
    const { cookie } = await working.signInByCode();
    const after = (app: Express, { service }: Pick<Site, 'service'>) => {
      app.get('/app/required', requireSession(service), (_req, res) => void res.json({ in: true }));
      app.get(
        '/app/maybe',
        optionalSession(service),
        (req, res) => void res.json({ user: req.user ?? null }),
      );
    };
    const site = await open({ wrapAdapter: broken, after });
    const statuses = new Set<number>();
    for (const route of everyRoute) {
      const valueOf = (name: string) =>
        name === 'email' ? site.uniqueEmail() : name === 'phone' ? '+4915112345678' : 'text text';
      const body = route.schema && bodiesOf(route.schema, valueOf)[0];
      const response = await callRoute(site, route, { cookie }, body);
      statuses.add(response.status);
      const { status, text, headers, location = '' } = response;
      expect([route.name, response.cookies.filter(isEntry)]).toEqual([route.name, []]);
      // All other routes respond with a redirect or an error, except the two that never reveal what they found.
      const neverReveals = ['/password/request-reset', '/token/revoke'].includes(route.path);
      expect([route.name, status >= 300 || neverReveals]).toEqual([route.name, true]);
      expect(`${text}${location}${JSON.stringify(headers)}`).not.toMatch(
        /hunter2|ECONNREFUSED|db\.internal|\.[jt]s:\d| {4}at /,
      );
      if (status === 500) expect(Object.keys(response.json)).toEqual(['error', 'message']);
    }
    expect(statuses).toContain(500);
    const required = await site.send('GET', '/app/required', undefined, { cookie });
    expect([required.status, required.json.error]).toEqual([500, 'internal_error']);
    expect((await site.send('GET', '/app/maybe', undefined, { cookie })).json).toEqual({ user: null });
    expect(JSON.stringify(site.log)).toContain('ECONNREFUSED');
  });

  //
  it('keeps line breaks of request input, and secrets, out of the log', async () => {
    const site = await open();
    const { cookie } = await site.signInByCode();
    const marker = 'hunter2-of-a-visitor';
    const injected = `${marker}\r\n{"level":"info","event":"signed_in"}\u2028\u001b[31m`;
    for (const route of everyRoute.filter(({ path }) => path !== '/logout' && path !== '/account')) {
      for (const body of route.schema ? bodiesOf(route.schema, () => injected) : [undefined]) {
        await callRoute(
          site,
          route,
          { cookie, headers: { 'User-Agent': marker, Origin: site.origin } },
          body,
        );
      }
      await site.send(
        route.method,
        `${route.pathWith('x%0d%0ainjected')}?token=${marker}&code=${marker}&state=${marker}`,
        undefined,
        { cookie, headers: json },
      );
      await callRoute(site, route, {
        cookie: `svc_session=${marker}; svc_mfa=${marker}; svc_oauth=${marker}`,
        headers: { Authorization: `Bearer ${marker}` },
      });
    }
    expect(site.log.length).toBeGreaterThan(100);
    const stringsIn = (value: unknown): string[] =>
      typeof value === 'string'
        ? [value]
        : typeof value === 'object' && value !== null
          ? Object.values(value).flatMap(stringsIn)
          : [];
    const strings = site.log.flatMap(({ fields, message }) => [message, ...stringsIn(fields)]);
    // eslint-disable-next-line no-control-regex -- control characters that a terminal or a line reader interprets
    expect(strings.filter((text) => /[\u0000-\u001f\u007f\u2028\u2029]/.test(text))).toEqual([]);
    expect(strings.filter((text) => text.includes(marker))).toEqual([]);
  });
});
