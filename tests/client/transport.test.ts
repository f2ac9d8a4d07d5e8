// The requests that the client sends, and its handling of every kind of response.
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AuthClientError, createClient, type AuthClientOptions } from 'svc-auth/client';

interface Sent {
  url: string;
  method: string;
  headers: Record<string, string>;
  body?: string;
  credentials: string;
}

/** A client with recorded requests, to which the given status and string or JSON responds. */
function clientWithResponse(status: number, response: unknown, options: Partial<AuthClientOptions> = {}) {
  const sent: Sent[] = [];
  const text = typeof response === 'string' ? response : JSON.stringify(response);
  const client = createClient({
    baseUrl: '/api/auth',
    fetch: async (url, { signal: _signal, ...init }) => {
      sent.push({ url, ...init });
      return { status, ok: status < 300, text: async () => text };
    },
    ...options,
  });
  return { client, sent };
}

async function failureOf(call: Promise<unknown>): Promise<AuthClientError> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(AuthClientError);
  return error as AuthClientError;
}

const email = 'ada@example.com';
const time = '2026-01-02T03:04:05.678Z';

describe('createClient()', () => {
  it.each([
    ['createClient(…).timeout is not an option; the options are baseUrl, fetch,', { timeout: 1000 }],
    ['createClient(…).bearer.store is not an option; the options are storage', { bearer: { store: null } }],
  ])('refuses an unknown option: %s', (message, options) => {
    const create = () => createClient({ baseUrl: '', ...options } as AuthClientOptions);
    expect(create).toThrow(AuthClientError);
    expect(create).toThrow(message);
  });
});

describe('A request of the client', () => {
  it('sends JSON with cookies to the path below the base URL', async () => {
    const { client, sent } = clientWithResponse(200, { expiresAt: time });
    await client.emailCode.send({ email });
    expect(sent).toEqual([
      {
        url: '/api/auth/email-code/send',
        method: 'POST',
        credentials: 'include',
        headers: { accept: 'application/json', 'content-type': 'application/json' },
        body: JSON.stringify({ email }),
      },
    ]);
  });

  it('sends no body and no content type to routes without a body', async () => {
    const { client, sent } = clientWithResponse(200, { ok: true });
    await client.logout();
    expect(sent[0]).not.toHaveProperty('body');
    expect(sent[0]!.headers).toEqual({ accept: 'application/json' });
  });

  it('omits a cursor that is null, so that nextCursor of a page can be passed back', async () => {
    const { client, sent } = clientWithResponse(200, { devices: [], nextCursor: null });
    let cursor: string | null = null;
    ({ nextCursor: cursor } = await client.devices.list({ cursor, limit: 5 }));
    await client.devices.list({ cursor });
    await client.devices.list({ cursor: 'a b', limit: 5 });
    expect(sent.map(({ url }) => url.replace('/api/auth', ''))).toEqual([
      '/devices?limit=5',
      '/devices',
      '/devices?cursor=a%20b&limit=5',
    ]);
  });

  it('sends to the same URL with and without a slash at the end of the base URL', async () => {
    const { client, sent } = clientWithResponse(200, { ok: true }, { baseUrl: 'https://id.test/auth//' });
    await client.logout();
    expect(sent[0]!.url).toBe('https://id.test/auth/logout');
    expect(client.google.startUrl()).toBe('https://id.test/auth/google/start');
  });

  it('sends the given headers, from a function at each request', async () => {
    let token = 0;
    const headers = async () => ({ authorization: `Bearer ${(token += 1)}` });
    const { client, sent } = clientWithResponse(200, { ok: true }, { headers, credentials: 'omit' });
    await client.logout();
    await client.logout();
    expect(sent.map((each) => [each.headers['authorization'], each.credentials])).toEqual([
      ['Bearer 1', 'omit'],
      ['Bearer 2', 'omit'],
    ]);
    const fixed = clientWithResponse(200, { ok: true }, { headers: { cookie: 'a=b' } });
    await fixed.client.logout();
    expect(fixed.sent[0]!.headers).toMatchObject({ cookie: 'a=b' });
  });

  it('encodes an id, and rejects one that would change the path', async () => {
    const { client, sent } = clientWithResponse(200, { ok: true });
    await client.devices.revoke('a/b?c#d e');
    expect(sent[0]!.url).toBe('/api/auth/devices/a%2Fb%3Fc%23d%20e');
    for (const id of ['', '.', '..']) {
      expect((await failureOf(client.devices.revoke(id))).code).toBe('invalid_request');
    }
    expect(sent).toHaveLength(1);
  });

  it('uses the global fetch at the time of the call', async () => {
    const { client } = clientWithResponse(200, {}, { fetch: undefined });
    const original = globalThis.fetch;
    globalThis.fetch = async () => Response.json({ ok: true });
    try {
      expect(await client.logout()).toEqual({ ok: true });
    } finally {
      globalThis.fetch = original;
    }
  });
});

describe('A response to the client', () => {
  it('returns a Date for every time, null for a missing one, and unchanged data of the application', async () => {
    const user = { id: 'x', metadata: { createdAt: time, nested: { seenAt: time } }, createdAt: time };
    const { client } = clientWithResponse(200, { user, created: true });
    const result = await client.emailCode.verify({ email, code: '123456' });
    expect(result.user.createdAt).toEqual(new Date(time));
    expect(result.user.metadata).toEqual(user.metadata);
    const devices = [{ id: 'd', lastSeenAt: time, revokedAt: null }];
    expect((await clientWithResponse(200, { devices }).client.devices.list()).devices).toEqual([
      { id: 'd', lastSeenAt: new Date(time), revokedAt: null },
    ]);
  });

  it('returns a null user if no user is signed in, and rejects at any other failure', async () => {
    const message = 'Sign in again.';
    const signedOut = clientWithResponse(401, { error: 'token_invalid', message });
    expect(await signedOut.client.session()).toEqual({ user: null });
    const { client } = clientWithResponse(500, { error: 'internal_error', message });
    expect((await failureOf(client.session())).code).toBe('internal_error');
  });

  it('becomes an AuthClientError with code, status, message and the time to wait', async () => {
    const refused = { error: 'rate_limit_exceeded', message: 'Wait.', retryAfterMs: 1234 };
    const error = await failureOf(clientWithResponse(429, refused).client.emailCode.send({ email }));
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({
      name: 'AuthClientError',
      code: 'rate_limit_exceeded',
      status: 429,
      message: 'Wait.',
      retryAfterMs: 1234,
    });
    const { client } = clientWithResponse(401, { error: 'code_invalid', message: 'No.' });
    const plain = await failureOf(client.mfa.verify({ code: '1' }));
    expect(plain).toMatchObject({ code: 'code_invalid', status: 401, retryAfterMs: undefined });
  });

  it.each([
    ['a page of a proxy', 502, '<html>Bad gateway</html>'],
    ['nothing', 404, ''],
    ['JSON of another server', 404, { message: 'Not found' }],
    ['an error that is not a string', 400, { error: { code: 1 }, message: 'x' }],
    ['a page with status 200', 200, '<!doctype html>'],
    ['a string with status 200', 200, '"ok"'],
    ['null with status 200', 200, 'null'],
  ])('is unexpected_response with its status if it is %s', async (_what, status, text) => {
    const error = await failureOf(clientWithResponse(status, text).client.logout());
    expect(error).toMatchObject({ code: 'unexpected_response', status });
  });

  it('rejects with network_error and the cause if the response does not arrive, or breaks off', async () => {
    const cause = new TypeError('fetch failed');
    const away = createClient({ baseUrl: '/a', fetch: () => Promise.reject(cause) });
    expect(await failureOf(away.session())).toMatchObject({ code: 'network_error', status: 0, cause });
    const broken = createClient({
      baseUrl: '/a',
      fetch: async () => ({ status: 200, ok: true, text: () => Promise.reject(cause) }),
    });
    expect(await failureOf(broken.logout())).toMatchObject({ code: 'network_error', status: 0, cause });
  });
});

describe('A response to the client that takes too long', () => {
  async function clientOf(respond: RequestListener, options: Partial<AuthClientOptions> = {}) {
    const server = createServer(respond).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    const close = () => {
      server.closeAllConnections();
      server.close();
    };
    return { client: createClient({ baseUrl: `http://127.0.0.1:${port}`, ...options }), close };
  }

  it.each([
    ['does not begin', () => undefined],
    ['does not end', (_req, res) => void res.writeHead(200).write('{"user"')],
  ] as [string, RequestListener][])(
    'rejects with network_error and the reason timeout if the response %s',
    async (_what, respond) => {
      const { client, close } = await clientOf(respond, { timeoutMs: 100 });
      const error = await failureOf(client.session());
      expect(error).toMatchObject({ code: 'network_error', status: 0, reason: 'timeout' });
      close();
    },
  );

  it('aborts a request after 15 seconds by default, after timeoutMs, and never with 0', async () => {
    const limits: number[] = [];
    const original = AbortSignal.timeout.bind(AbortSignal);
    AbortSignal.timeout = (ms) => {
      limits.push(ms);
      return original(ms);
    };
    try {
      for (const timeoutMs of [undefined, 2000, 0]) {
        await clientWithResponse(200, { ok: true }, { timeoutMs }).client.logout();
      }
    } finally {
      AbortSignal.timeout = original;
    }
    expect(limits).toEqual([15_000, 2000]);
  });

  it('rejects without the reason timeout if the connection breaks', async () => {
    const { client, close } = await clientOf((req) => void req.socket.destroy());
    const error = await failureOf(client.session());
    expect([error.code, error.reason]).toEqual(['network_error', undefined]);
    close();
  });
});

describe('The user that a client shows', () => {
  const user = { id: 'user-1', createdAt: time };
  const shownIn = ({ headers }: Sent) => headers['svc-user'];

  it('sends the user with requests that change data, from the first response that names the user', async () => {
    const { client, sent } = clientWithResponse(200, { user, ok: true });
    await client.devices.revokeOthers();
    await client.session();
    await client.devices.revokeOthers();
    await client.account.get();
    expect(sent.map(shownIn)).toEqual([undefined, undefined, 'user-1', undefined]);
  });

  it('forgets the user after a sign-out, and if session() finds no signed-in user', async () => {
    const { client, sent } = clientWithResponse(200, { user, ok: true });
    await client.session();
    await client.logout();
    await client.devices.revokeOthers();
    expect(sent.map(shownIn)).toEqual([undefined, 'user-1', undefined]);

    let response: object = { user };
    const other = createClient({
      baseUrl: '/a',
      fetch: async (url, init) => {
        sent.push({ url, ...init });
        const ok = 'user' in response;
        return { status: ok ? 200 : 401, ok, text: async () => JSON.stringify(response) };
      },
    });
    await other.session();
    response = { error: 'token_invalid', message: 'Sign in again.' };
    await other.session();
    response = { user };
    await other.devices.revokeOthers();
    expect(shownIn(sent.at(-1)!)).toBeUndefined();
  });

  it('does not send the user whose password was reset by a link, which signs no one in', async () => {
    const { client, sent } = clientWithResponse(200, { user });
    await client.password.reset({ token: 't', newPassword: 'battery staple' });
    await client.devices.revokeOthers();
    expect(sent.map(shownIn)).toEqual([undefined, undefined]);
  });

  it('does not send the user with credentials of the application, which name the user themselves', async () => {
    for (const name of ['Authorization', 'cookie']) {
      const headers = { [name]: 'x' };
      const { client, sent } = clientWithResponse(200, { user }, { headers });
      await client.session();
      await client.devices.revokeOthers();
      expect(sent.map(shownIn)).toEqual([undefined, undefined]);
    }
  });
});

describe('A URL to send the browser to', () => {
  it('adds the state of the application to the URL', () => {
    const { client } = clientWithResponse(200, {});
    expect(client.google.startUrl()).toBe('/api/auth/google/start');
    expect(client.google.startUrl('/a?b=c&d')).toBe('/api/auth/google/start?state=%2Fa%3Fb%3Dc%26d');
  });
});
