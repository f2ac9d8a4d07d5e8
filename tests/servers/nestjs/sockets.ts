/** Gateways behind the guard. */
import { signIn, siteOf, stranger, type Starters, type Visitor } from './visitor.js';
import { connect, connectPlain } from './socket-client.js';

export function describeSockets(starters: Starters, kind: 'ws' | 'socket.io'): void {
  describe(`a gateway with ${kind}`, () => {
    const site = siteOf(starters, { sockets: kind, recheckMs: 50 });
    let ada: Visitor;
    beforeAll(async () => {
      ada = await signIn(site());
    });
    const open = (headers: Record<string, string>, token?: string) =>
      connect(kind, site().url, headers, token);

    it('accepts the session cookie of the handshake, and passes the user to handlers', async () => {
      const socket = await open({ cookie: ada.cookie, origin: site().url });
      expect(await socket.ask('whoami', { n: 1 }, 'user')).toEqual({
        email: 'ada@example.com',
        body: { n: 1 },
      });
      expect(await socket.ask('open', {}, 'open')).toEqual({ email: 'ada@example.com' });
      socket.close();
    });

    it('accepts a bearer token', async () => {
      const { token } = site().service.createSessionToken(ada.id);
      const socket = kind === 'ws' ? await open({ authorization: `Bearer ${token}` }) : await open({}, token);
      expect(await socket.ask('whoami', 1, 'user')).toMatchObject({ email: 'ada@example.com' });
      socket.close();
    });

    it('closes a socket without a valid session', async () => {
      const without: Record<string, string>[] = [{}, { cookie: 'svc_session=forged' }];
      for (const headers of without) {
        const socket = await open(headers);
        expect(await socket.next('exception')).toMatchObject({ status: 'error', error: 'token_invalid' });
        expect(await socket.closed).toBe(kind === 'ws' ? 4401 : 'io server disconnect');
      }
    });

    it('closes a socket that a page of another site opens with the cookie', async () => {
      const foreign: Record<string, string>[] = [
        { origin: 'https://evil.example' },
        { origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' },
      ];
      for (const headers of foreign) {
        const socket = await open({ cookie: ada.cookie, ...headers });
        expect(await socket.next('exception')).toMatchObject({ error: 'not_authorized' });
        expect(await socket.closed).toBe(kind === 'ws' ? 4403 : 'io server disconnect');
      }
    });

    it('refuses a message that requires a role, and keeps the socket open', async () => {
      const bob = await signIn(site(), `bob-${kind}@example.com`);
      const socket = await open({ cookie: bob.cookie });
      expect(await socket.ask('admin', {}, 'exception')).toMatchObject({ error: 'not_authorized' });
      await site().service.users.update(bob.id, { roles: ['admin'] });
      expect(await socket.ask('admin', {}, 'admin')).toEqual({ ok: true });
      socket.close();
    });

    it('translates errors of the service that a handler throws', async () => {
      const socket = await open({ cookie: ada.cookie });
      expect(await socket.ask('fails', {}, 'exception')).toMatchObject({ error: 'user_not_found' });
      socket.close();
    });

    it('closes an open socket when its session has ended, without a message', async () => {
      const eve = await signIn(site(), `eve-${kind}@example.com`);
      const socket = await open({ cookie: eve.cookie });
      expect(await socket.ask('whoami', {}, 'user')).toMatchObject({ email: `eve-${kind}@example.com` });
      await eve.post('/api/auth/logout', {});
      expect(await socket.closed).toBe(kind === 'ws' ? 4401 : 'io server disconnect');
    });

    it('leaves routes as they are', async () => {
      expect((await stranger(site()).get('/me')).status).toBe(401);
      expect((await ada.get('/me')).status).toBe(200);
    });
  });

  describe(`a gateway with ${kind} whose sockets are not checked again`, () => {
    const site = siteOf(starters, { sockets: kind });

    it('refuses the next message of a session that has ended', async () => {
      const ada = await signIn(site());
      const socket = await connect(kind, site().url, { cookie: ada.cookie });
      await socket.ask('whoami', {}, 'user');
      await ada.post('/api/auth/logout', {});
      expect(await socket.ask('whoami', {}, 'exception')).toMatchObject({ error: 'token_invalid' });
      expect(await socket.ask('open', {}, 'open')).toEqual({ email: null });
      socket.close();
    });
  });
}

/** Gateways of `ws` with other connections. */
export function describeConnections(starters: Starters): void {
  describe('a gateway', () => {
    const site = siteOf(starters, { sockets: 'ws' });

    it('can leave sockets without a session open, for public messages', async () => {
      const ada = await signIn(site());
      const [anonymous, own, foreign] = [
        await connectPlain(`${site().url}/lobby`, {}),
        await connectPlain(`${site().url}/lobby`, { cookie: ada.cookie }),
        await connectPlain(`${site().url}/lobby`, { cookie: ada.cookie, origin: 'https://evil.example' }),
      ];
      expect(await own.ask('open', {}, 'open')).toEqual({ email: 'ada@example.com' });
      expect(await own.ask('whoami', {}, 'user')).toEqual({ email: 'ada@example.com' });
      for (const [socket, error] of [
        [anonymous, 'token_invalid'],
        [foreign, 'not_authorized'],
      ] as const) {
        expect(await socket.ask('open', {}, 'open')).toEqual({ email: null });
        expect(await socket.ask('whoami', {}, 'exception')).toMatchObject({ error });
      }
      for (const socket of [anonymous, own, foreign]) socket.close();
    });

    it('that checks no connection refuses every message', async () => {
      const ada = await signIn(site());
      const socket = await connectPlain(`${site().url}/forgotten`, { cookie: ada.cookie });
      expect(await socket.ask('whoami', {}, 'exception')).toMatchObject({ error: 'internal_error' });
      socket.close();
    });

    it('that does not pass on the request closes its sockets', async () => {
      const ada = await signIn(site());
      const socket = await connectPlain(`${site().url}/half`, { cookie: ada.cookie });
      expect(await socket.closed).toBe(4500);
      expect((await ada.get('/me')).status).toBe(200);
    });
  });
}
