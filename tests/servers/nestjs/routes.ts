/** Routes behind the guard. */
import { testClock } from 'svc-auth/testing';
import { signIn, siteOf, stranger, type Starters, type Visitor } from './visitor.js';

export function describeRoutes(starters: Starters): void {
  describe('routes', () => {
    const clock = testClock();
    const site = siteOf(starters, { clock: clock.now });
    let ada: Visitor;
    beforeAll(async () => {
      ada = await signIn(site());
    });
    const give = (user: Visitor, ...roles: string[]) => site().service.users.update(user.id, { roles });
    const refusal = (statusCode: number, error: string) => ({
      status: statusCode,
      body: { statusCode, error, message: expect.any(String) as string },
    });

    it('pass the user and the claims of the session to a handler', async () => {
      const { status, body, headers } = await ada.get('/me');
      const user = { email: 'ada@example.com', id: ada.id, isSame: true, hasToken: true };
      expect({ status, body }).toEqual({ status: 200, body: user });
      expect(headers.get('cache-control')).toBe('no-store');
    });

    it('are refused by the global guard without a session, in the form of Nest and with our code', async () => {
      expect(await stranger(site()).get('/me')).toMatchObject(refusal(401, 'token_invalid'));
      const forged = { authorization: 'Bearer forged' };
      expect(await ada.get('/me', forged)).toMatchObject(refusal(401, 'token_invalid'));
    });

    it('accept the session as a bearer token', async () => {
      const { token } = site().service.createSessionToken(ada.id);
      const reply = await stranger(site()).get('/me', { authorization: `Bearer ${token}` });
      expect(reply).toMatchObject({ status: 200, body: { id: ada.id } });
    });

    it('are refused after a sign-out', async () => {
      const eve = await signIn(site(), 'eve@example.com');
      await eve.post('/api/auth/logout', {});
      expect(await eve.get('/me')).toMatchObject(refusal(401, 'token_invalid'));
    });

    it('that are public have the user of a session, if there is one', async () => {
      expect(await stranger(site()).get('/hello')).toMatchObject({ status: 200, body: { email: null } });
      expect(await ada.get('/hello')).toMatchObject({ status: 200, body: { email: 'ada@example.com' } });
      expect(await ada.get('/hello', { authorization: 'Bearer x' })).toMatchObject({ body: { email: null } });
    });

    it('require one of the roles that they name', async () => {
      const bob = await signIn(site(), 'bob@example.com');
      for (const path of ['/admin', '/staff'])
        expect(await bob.get(path)).toMatchObject(refusal(403, 'not_authorized'));
      await give(bob, 'support');
      expect((await bob.get('/admin')).status).toBe(403);
      expect((await bob.get('/staff')).status).toBe(200);
      await give(bob, 'admin');
      for (const path of ['/admin', '/staff']) expect((await bob.get(path)).status).toBe(200);
      expect(await stranger(site()).get('/admin')).toMatchObject(refusal(401, 'token_invalid'));
    });

    it('require what their class requires, also of a class that they inherit from', async () => {
      const cid = await signIn(site(), 'cid@example.com');
      for (const path of ['/office/admins', '/office/vault', '/branch/admins'])
        expect(await cid.get(path)).toMatchObject(refusal(403, 'not_authorized'));
      expect((await cid.get('/office/address')).status).toBe(200);
      await give(cid, 'admin');
      expect((await cid.get('/office/admins')).status).toBe(200);
      expect((await cid.get('/branch/admins')).status).toBe(200);
      expect(await cid.get('/office/vault')).toMatchObject(refusal(403, 'mfa_required'));
    });

    it('are not public in a public class if they require a role', async () => {
      expect((await stranger(site()).get('/public/open')).status).toBe(200);
      expect(await stranger(site()).get('/public/closed')).toMatchObject(refusal(401, 'token_invalid'));
      expect(await ada.get('/public/closed')).toMatchObject(refusal(403, 'not_authorized'));
    });

    it('have the options of requireSession', async () => {
      expect(await ada.get('/vault')).toMatchObject(refusal(403, 'mfa_required'));
      expect(await ada.get('/stateless')).toMatchObject({ status: 200, body: { sub: ada.id, user: null } });
      expect(await stranger(site()).get('/stateless')).toMatchObject(refusal(401, 'token_invalid'));
    });

    it('with an invalid requirement are never open', async () => {
      expect((await ada.get('/misconfigured')).status).toBe(500);
    });

    it('refuse a change that a page of another site sends', async () => {
      const other = { origin: 'https://evil.example' };
      expect(await ada.post('/notes', {}, other)).toMatchObject(refusal(403, 'not_authorized'));
      const crossSite = { 'sec-fetch-site': 'cross-site' };
      expect(await ada.post('/notes', {}, crossSite)).toMatchObject(refusal(403, 'not_authorized'));
      expect((await ada.post('/notes', {}, { origin: site().url })).status).toBe(201);
      expect((await ada.get('/me', other)).status).toBe(200);
    });

    it('that are public have no user for a change that a page of another site sends', async () => {
      const own = await ada.post('/webhook', {});
      expect(own).toMatchObject({ status: 200, body: { email: 'ada@example.com' } });
      const other = await ada.post('/webhook', {}, { origin: 'https://evil.example' });
      expect(other).toMatchObject({ status: 200, body: { email: null } });
    });

    it('refuse a change of a page that shows another user', async () => {
      const other = await ada.post('/notes', {}, { 'svc-user': 'someone-else' });
      expect(other).toMatchObject(refusal(409, 'session_changed'));
    });

    it('accept API keys with the scopes that they name', async () => {
      const { apiKeys } = site().service;
      const keyOf = async (scope: string) =>
        (await apiKeys.create({ userId: ada.id, name: 'CI', scopes: [scope] })).key;
      const call = async (key: string) => stranger(site()).get('/machine', { 'x-api-key': key });
      expect(await call(await keyOf('read'))).toMatchObject({
        status: 200,
        body: { name: 'CI', scopes: ['read'] },
      });
      expect(await call(await keyOf('write'))).toMatchObject(refusal(403, 'not_authorized'));
      expect(await call('svc_wrong')).toMatchObject(refusal(401, 'api_key_invalid'));
      expect(await ada.get('/machine')).toMatchObject(refusal(401, 'api_key_invalid'));
      const bearer = { authorization: `Bearer ${await keyOf('read')}` };
      expect(await stranger(site()).get('/me', bearer)).toMatchObject(refusal(401, 'token_invalid'));
    });

    it('translate errors of the service that a handler throws', async () => {
      expect(await ada.get('/unknown-user')).toMatchObject(refusal(404, 'user_not_found'));
      const { status, body, headers } = await ada.get('/limited');
      expect({ status, body }).toMatchObject(refusal(429, 'rate_limit_exceeded'));
      expect(body['retryAfterMs']).toBe(90_000);
      expect(headers.get('retry-after')).toBe('90');
    });

    it('leave other errors to Nest, without their details', async () => {
      const { status, body } = await ada.get('/boom');
      expect({ status, body }).toEqual({
        status: 500,
        body: { statusCode: 500, message: 'Internal server error' },
      });
    });

    it('renew the cookie of a session in use', async () => {
      expect((await ada.get('/me')).headers.getSetCookie()).toEqual([]);
      clock.advance(120_000);
      const renewed = (await ada.get('/me')).headers.getSetCookie();
      expect(renewed).toEqual([expect.stringMatching(/^svc_session=.+; Max-Age=\d+; .*HttpOnly/)]);
    });
  });
}
