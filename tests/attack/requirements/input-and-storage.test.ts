// Input that might reach a database: fields that a route does not accept, and strings with a meaning to SQL or a shell.
import { describeAdapters } from '../../support/describe-adapters.js';
import type { Account } from '../../support/http-site.js';
import { ignorePasswords } from '../../support/leak-scan.js';
import { bodiesOf, callRoute, everyRoute, type Route } from '../../support/every-route.js';
import { addPasskey, isSignedIn } from '../../support/site-actions.js';
import { fullSiteOpener, type FullSite } from '../../support/full-site.js';

ignorePasswords();

const queries = ['token', 'code', 'state', 'error', 'iss'];

/** Strings that mean something to a database, a pattern, a path, a template or a terminal. */
const hostileStrings = [
  "' or '1'='1",
  'x\'; drop table svc_users; -- ?? :userId $1 % _ "',
  "\\'; --",
  'nul\0inside',
  'lone \ud800 surrogate\r\nSet-Cookie: svc_session=x',
];

describeAdapters('Stored input', (on) => {
  const open = fullSiteOpener(on.adapter);

  /** Creates a user with one record of every kind, and a check that nothing of it has changed. */
  async function victimOf(site: FullSite) {
    const me = await site.signUp();
    await site.post('/account/verify-email/send', undefined, me);
    await site.post('/account/verify-email', { code: site.mail.lastCode(me.email) }, me);
    await site.post('/orgs', { name: 'Victim' }, me);
    await site.post('/api-keys', { name: 'script' }, me);
    await site.post('/token/issue', {}, me);
    await addPasskey(site, me.cookie);
    const exportData = async () => ({
      ...(await site.service.account.exportData(me.user.id)),
      exportedAt: null,
    });
    const before = await exportData();
    return {
      ...me,
      async isUntouched() {
        expect(await exportData()).toEqual(before);
        expect(await isSignedIn(site, me.cookie)).toBe(true);
      },
    };
  }

  //
  it('ignores fields that a route does not accept, including ids of another user', async () => {
    const site = await open();
    const victim = await victimOf(site);
    const attacker = await site.signInByCode();
    const org = (await site.service.orgs.listForUser(victim.user.id))[0]!;
    const planted = {
      ...{
        id: victim.user.id,
        userId: victim.user.id,
        ownerUserId: victim.user.id,
        actingUserId: victim.user.id,
      },
      ...{ user: victim.user, sub: victim.user.id, orgId: org.orgId, invitedByUserId: victim.user.id },
      ...{
        role: 'owner',
        emailVerified: true,
        metadata: { admin: true },
        claims: { role: 'admin' },
        epoch: 9,
      },
      ...{
        passwordHash: 'cheap$x',
        totpEnabled: false,
        amr: ['mfa'],
        act: { sub: victim.user.id },
        sid: 'x',
      },
      ...{
        startSession: false,
        sessionToken: victim.cookie,
        ip: '203.0.113.1',
        redirectTo: 'https://evil.test/',
      },
      ...{
        ttlMs: 1e12,
        expiresInSec: 1e9,
        maxAttempts: 1e9,
        createdAt: '1999-01-01T00:00:00.000Z',
        counter: 0,
      },
    };
    for (const route of everyRoute.filter(
      ({ method, path }) => method !== 'GET' && !/logout|^\/account$/.test(path),
    )) {
      for (const body of route.schema ? bodiesOf(route.schema) : [{}]) {
        const response = await callRoute(site, route, attacker, { ...planted, ...body });
        expect([route.name, response.status < 500 || response.status === 501]).toEqual([route.name, true]);
      }
    }
    await victim.isUntouched();
    expect(await isSignedIn(site, attacker.cookie)).toBe(true);
    const signedUp = await site.post('/password/signup', {
      ...planted,
      email: site.uniqueEmail(),
      password: 'correct horse battery',
    });
    expect(signedUp.json.user).toMatchObject({ emailVerified: false, metadata: {} });
    expect(signedUp.json.user.id).not.toBe(victim.user.id);
    const me = await site.signInByCode();
    const key = await site.post('/api-keys', { ...planted, name: 'mine' }, me);
    expect(key.json.record).toMatchObject({ userId: me.user.id, orgId: null, scopes: [], metadata: {} });
    const tokens = await site.post(
      '/token/issue',
      { ...planted, device: { ip: '203.0.113.1', name: 'x' } },
      me,
    );
    const { accessToken } = tokens.json as { accessToken: string };
    expect(site.service.verifyToken(accessToken)).toMatchObject({ sub: me.user.id });
    expect(site.service.verifyToken(accessToken)).not.toHaveProperty('role');
    const createdOrg = await site.post('/orgs', { ...planted, name: 'Mine' }, me);
    expect(createdOrg.json).toMatchObject({ org: { metadata: {} }, membership: { userId: me.user.id } });
  });

  //
  it('treats strings with SQL, path or header syntax as plain strings in every field, path, query, cookie and header', async () => {
    const site = await open();
    const victim = await victimOf(site);
    const attacker = await site.signInByCode();
    // Includes property names that every JavaScript object inherits, for paths that are looked up in an object.
    const inPaths = [...hostileStrings, '__proto__', 'constructor', 'toString', '..', '.'];
    const expectNoFailure = (route: Route, text: string, status: number) =>
      expect([route.name, text, status < 500 || status === 501]).toEqual([route.name, text, true]);
    for (const route of everyRoute.filter(({ path }) => path !== '/logout')) {
      const isDeletion = route.method === 'DELETE' && route.path === '/account';
      for (const text of hostileStrings) {
        const encoded = encodeURIComponent(text.replace('\ud800', '\ufffd'));
        for (const body of route.schema ? bodiesOf(route.schema, () => text) : []) {
          expectNoFailure(route, text, (await callRoute(site, route, attacker, body)).status);
        }
        if (route.method === 'GET') {
          const query = queries.map((name) => `${name}=${encoded}`).join('&');
          expectNoFailure(route, text, (await site.get(`${route.path}?${query}`, attacker)).status);
        }
      }
      for (const text of route.parameters.length > 0 ? inPaths : []) {
        const path = route.pathWith(encodeURIComponent(text.replace('\ud800', '\ufffd')));
        const body = route.schema && bodiesOf(route.schema)[0];
        expectNoFailure(route, text, (await site.send(route.method, path, body, attacker)).status);
      }
      if (isDeletion) continue;
      const header = "'; drop table svc_sessions; -- %s $1";
      const headers = { 'User-Agent': header, 'X-Api-Key': header, Authorization: `Bearer ${header}` };
      const cookie = `svc_session=${encodeURIComponent(header)}; svc_mfa='; svc_oauth='; svc_webauthn='`;
      expectNoFailure(route, 'headers', (await callRoute(site, route, { headers, cookie })).status);
    }
    await victim.isUntouched();
    expect(await isSignedIn(site, attacker.cookie)).toBe(true);
    expect((await site.post('/password/login', pick(victim))).status).toBe(200);
    expectNoErrors(site);
  }, 120_000);
});

const expectNoErrors = (site: FullSite) =>
  expect(site.log.filter(({ level }) => level === 'error')).toEqual([]);

const pick = ({ email, password }: Account) => ({ email, password });
