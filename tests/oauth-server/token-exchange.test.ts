// Token exchange (RFC 8693): agents that act for users, and what an agent must not get.
import { describeAdapters } from '../support/describe-adapters.js';
import { clientSite } from './client-site.js';
import {
  allow,
  askForToken,
  authorizeUrl,
  callback,
  refresh,
  signedIn,
  type TokenAnswer,
} from './protocol.js';

const type = 'urn:ietf:params:oauth:token-type:access_token';
const api = 'https://api.test/v1';
const both = ['notes:read', 'notes:write', 'files:read', 'files:write'];

interface Agent {
  id: string;
  headers: Record<string, string>;
}

type Params = Record<string, string | undefined>;
type Exchanged = TokenAnswer & { issued_token_type: string; expires_in: number };

describeAdapters('Token exchange', ({ adapter }) => {
  const site = clientSite(
    { resources: { [api]: { scopes: { 'files:read': 'Read files', 'files:write': 'Change files' } } } },
    adapter,
  );
  let agent: Agent;
  beforeAll(async () => {
    for (const [path, resource] of [
      ['/any', site.resource],
      ['/api', api],
    ] as const)
      site.app.get(path, site.oauth.requireAccessToken({ resource }), (req, res) => {
        res.json((req as unknown as { auth: object }).auth);
      });
    agent = await register(both);
  });

  async function register(scopes: readonly string[], grants = ['token_exchange', 'client_credentials']) {
    const create = { name: 'Agent', confidential: true, grants: grants as ['token_exchange'], scopes };
    const { client, secret } = await site.oauth.clients.create(create);
    const authorization = `Basic ${Buffer.from(`${client.id}:${secret}`).toString('base64')}`;
    return { id: client.id, headers: { authorization } };
  }

  const exchange = async ({ headers }: Agent, token: string, params: Params = {}) => {
    const grant_type = 'urn:ietf:params:oauth:grant-type:token-exchange';
    const all = { grant_type, subject_token: token, subject_token_type: type, resource: site.resource };
    const given = Object.entries<string | undefined>({ ...all, ...params }).filter(
      (entry): entry is [string, string] => Boolean(entry[1]),
    );
    return (await askForToken(site, Object.fromEntries(given), headers)) as Exchanged;
  };
  const subject = (scope = 'notes:read notes:write', email = `ada-${Math.random()}@example.com`) =>
    signedIn(site, email, site.clientId, { scope });
  const open = async (token: string, path = '/any') => {
    const response = await fetch(site.issuer + path, { headers: { authorization: `Bearer ${token}` } });
    return { status: response.status, ...((await response.json()) as object) };
  };
  const post = async (path: string, { headers }: Agent, token: string) => {
    const response = await fetch(site.issuer + path, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: new URLSearchParams({ token }).toString(),
    });
    return { status: response.status, text: await response.text() };
  };
  /** The user has given the client both resources. The token is for the first one. */
  async function subjectOfBoth(scope = both.join(' ')) {
    const second = new URLSearchParams({ resource: api }).toString();
    const browser = await site.browser(`bob-${Math.random()}@example.com`);
    const { url, verifier } = authorizeUrl(site, site.clientId, { scope });
    const page = await browser.open(`${url}&${second}`);
    const end = page.html === '' ? page : await browser.submit(page.html, '/consent/allow');
    return askForToken(site, {
      ...{ grant_type: 'authorization_code', client_id: site.clientId, redirect_uri: callback },
      ...{ code: end.url.searchParams.get('code')!, code_verifier: verifier, resource: site.resource },
    });
  }

  it('gives an agent a token of the user that names the agent', async () => {
    const { access_token: token } = await subject();
    const answer = await exchange(agent, token);
    expect(answer).toMatchObject({
      ...{ status: 200, issued_token_type: type, token_type: 'Bearer', scope: 'notes:read notes:write' },
    });
    expect(answer.expires_in).toBeLessThanOrEqual(3600);
    expect(answer).not.toHaveProperty('refresh_token');
    expect(await open(answer.access_token)).toMatchObject({
      ...{ status: 200, clientId: agent.id, scopes: ['notes:read', 'notes:write'] },
      extra: { act: { sub: agent.id }, user: { email: expect.stringContaining('ada-') } },
    });
    const plain = (await open(token)) as { extra?: object };
    expect(plain.extra).not.toHaveProperty('act');
  });

  it.each([
    ['the agent may ask for', ['notes:read'], 'notes:read notes:write', '', 'notes:read'],
    ['the token has', both, 'notes:write', '', 'notes:write'],
    ['the request names', both, 'notes:read notes:write', 'notes:read files:read x', 'notes:read'],
  ])('gives no more than what %s', async (_name, agentScopes, granted, scope, scopes) => {
    const narrow = await register(agentScopes);
    const { access_token: token } = await subject(granted);
    expect((await exchange(narrow, token, { scope })).scope).toBe(scopes);
  });

  it('refuses an exchange that would give nothing', async () => {
    const { access_token: token } = await subject('notes:read');
    const writer = await register(['notes:write']);
    expect(await exchange(writer, token)).toMatchObject({ status: 400, error: 'invalid_scope' });
    expect(await exchange(agent, token, { scope: 'notes:write' })).toMatchObject({ error: 'invalid_scope' });
    expect(await exchange(agent, token, { resource: api })).toMatchObject({ error: 'invalid_scope' });
    for (const params of [
      { resource: 'https://evil.test' },
      { audience: api },
      { resource: '', audience: 'x' },
      { resource: '' },
    ])
      expect(await exchange(agent, token, params)).toMatchObject({ status: 400, error: 'invalid_target' });
  });

  it('gives access to another resource if the user has given it, and never more on the way', async () => {
    const { access_token: token } = await subjectOfBoth();
    const narrow = await register(['notes:read', 'files:read']);
    const first = await exchange(narrow, token, { resource: api });
    expect(first.scope).toBe('files:read');
    expect((await open(first.access_token, '/api')).status).toBe(200);
    expect((await open(first.access_token)).status).toBe(401);
    const second = await exchange(agent, first.access_token, { resource: site.resource });
    expect(second.scope).toBe('notes:read');
    const asked = await exchange(agent, token, { resource: api, scope: 'files:write' });
    const back = await exchange(agent, asked.access_token, { resource: api });
    expect(back.scope).toBe('files:write');
  });

  it('keeps what a token lacked at its resource, also by way of another one', async () => {
    const { refresh_token: renewal } = await subjectOfBoth();
    const { access_token: token } = await refresh(site, site.clientId, renewal, { scope: 'notes:read' });
    const away = await exchange(agent, token, { resource: api });
    expect(away.scope).toBe('files:read files:write');
    const back = await exchange(agent, away.access_token);
    expect(back.scope).toBe('notes:read');
  });

  it('names every agent of a chain, and refuses the sixth', async () => {
    let { access_token: token } = await subject();
    const ids: string[] = [];
    for (let length = 1; length <= 5; length++) {
      const next = await register(both);
      ids.unshift(next.id);
      const answer = await exchange(next, token);
      expect(answer.status).toBe(200);
      token = answer.access_token;
    }
    const act = ids.reduceRight<object | undefined>(
      (previous, sub) => (previous ? { sub, act: previous } : { sub }),
      undefined,
    );
    expect(await open(token)).toMatchObject({ extra: { act } });
    const last = await exchange(agent, token);
    expect(last).toMatchObject({ status: 400, error: 'invalid_request' });
  });

  it('lives no longer than the token for which it was exchanged', async () => {
    const { access_token: token } = await subject();
    site.test.clock.advance(59 * 60_000);
    const answer = await exchange(agent, token);
    expect(answer.expires_in).toBeLessThanOrEqual(60);
    const auth = (await open(answer.access_token)) as { expiresAt?: number };
    const { expiresAt } = (await open(token)) as { expiresAt?: number };
    expect(auth.expiresAt).toBeLessThanOrEqual(expiresAt!);
    site.test.clock.advance(59_500);
    expect(await exchange(agent, token)).toMatchObject({ error: 'invalid_grant' });
    site.test.clock.advance(500);
    expect((await open(answer.access_token)).status).toBe(401);
  });

  it.each(['sign-out everywhere', 'block', 'deletion', 'end of the grant', 'removal of the agent'] as const)(
    'ends at the next request: %s',
    async (end) => {
      const email = `eve-${Math.random()}@example.com`;
      const tokens = await subject('notes:read', email);
      const own = await register(['notes:read']);
      const { access_token: token } = await exchange(own, tokens.access_token);
      expect((await open(token)).status).toBe(200);
      const { service } = site.test;
      const user = (await service.users.find({ email }))!;
      await {
        'sign-out everywhere': () => service.users.signOut(user.id),
        block: () => service.users.block(user.id),
        deletion: () => service.account.deleteUser(user.id),
        'end of the grant': () =>
          fetch(`${site.issuer}/oauth/revoke`, {
            method: 'POST',
            headers: { 'content-type': 'application/x-www-form-urlencoded' },
            body: new URLSearchParams({ client_id: site.clientId, token: tokens.refresh_token }).toString(),
          }),
        'removal of the agent': () => site.oauth.clients.remove(own.id),
      }[end]();
      expect((await open(token)).status).toBe(401);
      expect((await exchange(agent, token)).error).toBe('invalid_grant');
      if (end !== 'removal of the agent')
        expect(await exchange(agent, tokens.access_token)).toMatchObject({ error: 'invalid_grant' });
    },
  );

  it('needs an access token of a user for a resource', async () => {
    const {
      access_token: token,
      refresh_token: renewal,
      id_token: idToken,
    } = await subject('openid notes:read');
    const own = await askForToken(
      site,
      { grant_type: 'client_credentials', resource: site.resource },
      agent.headers,
    );
    for (const [value, error] of [
      ['x'.repeat(43), 'invalid_grant'],
      [renewal, 'invalid_grant'],
      [idToken!, 'invalid_grant'],
      [own.access_token, 'invalid_request'],
      ['', 'invalid_request'],
    ] as const)
      expect(await exchange(agent, value)).toMatchObject({ status: 400, error });
    const { resource: _resource, ...code } = await allow(
      site,
      await site.browser('openid@example.com'),
      site.clientId,
      { scope: 'openid', resource: undefined },
    );
    const identity = await askForToken(site, code);
    expect(await exchange(agent, identity.access_token)).toMatchObject({ error: 'invalid_request' });
    for (const params of [
      { subject_token_type: 'urn:ietf:params:oauth:token-type:id_token' },
      { subject_token_type: '' },
      { requested_token_type: 'urn:ietf:params:oauth:token-type:refresh_token' },
    ])
      expect(await exchange(agent, token, params)).toMatchObject({ status: 400, error: 'invalid_request' });
  });

  it('accepts as the actor only a token of the agent itself', async () => {
    const { access_token: token } = await subject();
    const tokenOf = async ({ headers }: Agent) =>
      (await askForToken(site, { grant_type: 'client_credentials', resource: site.resource }, headers))
        .access_token;
    const actor = (value: string) => exchange(agent, token, { actor_token: value, actor_token_type: type });
    expect((await actor(await tokenOf(agent))).status).toBe(200);
    for (const value of [await tokenOf(await register(both)), token, 'x'])
      expect(await actor(value)).toMatchObject({ status: 400, error: 'invalid_request' });
    expect(await exchange(agent, token, { actor_token_type: type })).toMatchObject({
      error: 'invalid_request',
    });
  });

  it('is for confidential clients with this grant', async () => {
    const { access_token: token } = await subject();
    const job = await register(both, ['client_credentials']);
    expect((await exchange(job, token)).status).toBe(400);
    const open = { id: site.clientId, headers: {} };
    expect((await exchange(open, token, { client_id: site.clientId })).status).toBe(400);
    expect((await exchange({ id: agent.id, headers: {} }, token, { client_id: agent.id })).status).toBe(401);
  });

  it('is introspected and ended by its agent alone, which ends nothing else', async () => {
    const { access_token: token, refresh_token: renewal } = await subject('notes:read');
    const { access_token: exchanged } = await exchange(agent, token);
    const { text } = await post('/oauth/introspect', agent, exchanged);
    expect(JSON.parse(text)).toMatchObject({
      ...{ active: true, client_id: agent.id, aud: site.resource, iss: site.issuer, scope: 'notes:read' },
      act: { sub: agent.id },
    });
    expect(text).not.toContain('reach');
    const other = await register(both);
    for (const value of [exchanged, token]) {
      expect(JSON.parse((await post('/oauth/introspect', other, value)).text)).toEqual({ active: false });
      expect((await post('/oauth/revoke', other, value)).status).toBe(200);
    }
    const wrong = { id: agent.id, headers: { authorization: `Basic ${btoa(`${agent.id}:wrong`)}` } };
    expect((await post('/oauth/introspect', wrong, exchanged)).text).not.toContain('active');
    await post('/oauth/revoke', wrong, exchanged);
    expect((await open(exchanged)).status).toBe(200);
    await post('/oauth/revoke', agent, exchanged);
    expect((await open(exchanged)).status).toBe(401);
    expect(JSON.parse((await post('/oauth/introspect', agent, exchanged)).text)).toEqual({ active: false });
    expect((await open(token)).status).toBe(200);
    expect((await refresh(site, site.clientId, renewal)).status).toBe(200);
  });

  it('is reported with its chain, and without tokens', async () => {
    const events: object[] = [];
    const off = site.test.service.on('oauth.token_exchanged', (event) => void events.push(event));
    const first = await register(both);
    const { access_token: token } = await subject('notes:read', 'reported@example.com');
    const { access_token: middle } = await exchange(first, token);
    const { access_token: last } = await exchange(agent, middle);
    await new Promise((resolve) => setImmediate(resolve));
    off();
    const user = (await site.test.service.users.find({ email: 'reported@example.com' }))!;
    const about = { userId: user.id, resource: site.resource, scopes: ['notes:read'] };
    const act = { sub: agent.id, act: { sub: first.id } };
    expect(events).toEqual([
      { ...about, clientId: first.id, act: { sub: first.id } },
      { ...about, clientId: agent.id, act },
    ]);
    const lines = site.test.log.filter(({ fields }) => fields['event'] === 'oauth_token_exchanged');
    expect(lines.at(-1)).toMatchObject({ level: 'info', fields: { ...about, clientId: agent.id, act } });
    for (const value of [token, middle, last]) expect(JSON.stringify([events, lines])).not.toContain(value);
  });
});
