// what is sent in and might reach a database: fields that no route names, and texts that are more than texts elsewhere.
import { describeAdapters } from '../../support/describe-adapters.js';
import type { Account } from '../../support/http-site.js';
import { ignorePasswords } from '../../support/leak-scan.js';
import { bodiesOf, callRoute, everyRoute, type Route } from '../../support/every-route.js';
import { addPasskey, isIn } from '../../support/people.js';
import { wholeProduct, type WholeSite } from '../../support/whole-product.js';

ignorePasswords();

const queries = ['token', 'code', 'state', 'error', 'iss'];

/** Texts that mean something to a database, a pattern, a path, a template or a terminal. */
const texts = [
  "' or '1'='1",
  'x\'; drop table svc_users; -- ?? :userId $1 % _ "',
  "\\'; --",
  'nul\0inside',
  'lone \ud800 surrogate\r\nSet-Cookie: svc_session=x',
];
describeAdapters('Input', (on) => {
  const open = wholeProduct(on.adapter);

  /** Somebody with one of everything, and what there is of them. */
  async function victimOf(site: WholeSite) {
    const me = await site.signUp();
    await site.post('/account/verify-email/send', undefined, me);
    await site.post('/account/verify-email', { code: site.mail.lastCode(me.email) }, me);
    await site.post('/orgs', { name: 'Victim' }, me);
    await site.post('/api-keys', { name: 'script' }, me);
    await site.post('/token/issue', {}, me);
    await addPasskey(site, me.cookie);
    const all = async () => ({ ...(await site.service.account.exportData(me.user.id)), exportedAt: null });
    const before = await all();
    return {
      ...me,
      async isUntouched() {
        expect(await all()).toEqual(before);
        expect(await isIn(site, me.cookie)).toBe(true);
      },
    };
  }

  it('A-81 fields that a route does not name have no effect on anybody, whosever ids they hold', async () => {
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
        const answer = await callRoute(site, route, attacker, { ...planted, ...body });
        expect([route.name, answer.status < 500 || answer.status === 501]).toEqual([route.name, true]);
      }
    }
    await victim.isUntouched();
    expect(await isIn(site, attacker.cookie)).toBe(true);
    const made = await site.post('/password/signup', {
      ...planted,
      email: site.address(),
      password: 'correct horse battery',
    });
    expect(made.json.user).toMatchObject({ emailVerified: false, metadata: {} });
    expect(made.json.user.id).not.toBe(victim.user.id);
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
    const founded = await site.post('/orgs', { ...planted, name: 'Mine' }, me);
    expect(founded.json).toMatchObject({ org: { metadata: {} }, membership: { userId: me.user.id } });
  });

  it('A-84 texts that mean something to a database are texts, in every field, path, query, cookie and header', async () => {
    const site = await open();
    const victim = await victimOf(site);
    const attacker = await site.signInByCode();
    // Names that every object of the language has, where a path is looked up in one.
    const inPaths = [...texts, '__proto__', 'constructor', 'toString', '..', '.'];
    const fine = (route: Route, text: string, status: number) =>
      expect([route.name, text, status < 500 || status === 501]).toEqual([route.name, text, true]);
    for (const route of everyRoute.filter(({ path }) => path !== '/logout')) {
      const isDeletion = route.method === 'DELETE' && route.path === '/account';
      for (const text of texts) {
        const encoded = encodeURIComponent(text.replace('\ud800', '\ufffd'));
        for (const body of route.schema ? bodiesOf(route.schema, () => text) : []) {
          fine(route, text, (await callRoute(site, route, attacker, body)).status);
        }
        if (route.method === 'GET') {
          const query = queries.map((name) => `${name}=${encoded}`).join('&');
          fine(route, text, (await site.get(`${route.path}?${query}`, attacker)).status);
        }
      }
      for (const text of route.parameters.length > 0 ? inPaths : []) {
        const path = route.pathWith(encodeURIComponent(text.replace('\ud800', '\ufffd')));
        const body = route.schema && bodiesOf(route.schema)[0];
        fine(route, text, (await site.send(route.method, path, body, attacker)).status);
      }
      if (isDeletion) continue;
      const header = "'; drop table svc_sessions; -- %s $1";
      const headers = { 'User-Agent': header, 'X-Api-Key': header, Authorization: `Bearer ${header}` };
      const cookie = `svc_session=${encodeURIComponent(header)}; svc_mfa='; svc_oauth='; svc_webauthn='`;
      fine(route, 'headers', (await callRoute(site, route, { headers, cookie })).status);
    }
    await victim.isUntouched();
    expect(await isIn(site, attacker.cookie)).toBe(true);
    expect((await site.post('/password/login', pick(victim))).status).toBe(200);
    unharmed(site);
  }, 120_000);
});

const unharmed = (site: WholeSite) => expect(site.log.filter(({ level }) => level === 'error')).toEqual([]);

const pick = ({ email, password }: Account) => ({ email, password });
