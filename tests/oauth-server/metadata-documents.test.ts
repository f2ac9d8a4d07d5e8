// Clients whose id is the address of their metadata (draft-ietf-oauth-client-id-metadata-document; MCP authorization specification).
import { generateKeyPairSync } from 'node:crypto';
import jsonwebtoken from 'jsonwebtoken';
import { internals } from '../../src/core/internals.js';
import { auth } from '@modelcontextprotocol/client';
import { describeAdapters } from '../support/describe-adapters.js';
import { openDocumentSite, type DocumentSite } from '../support/document-site.js';
import { mcpProvider, type McpMemory } from '../support/mcp-memory.js';
import { openOAuthSite, type OAuthSite } from '../support/oauth-site.js';
import { allow, askForToken, authorizeUrl, call, callback, refresh, signedIn } from './protocol.js';

const minute = 60_000;
const day = 24 * 60 * minute;

describeAdapters('A client with a metadata document', ({ adapter }) => {
  let site: OAuthSite;
  let client: DocumentSite;
  let clientId: string;
  beforeAll(async () => {
    site = await openOAuthSite({}, adapter());
  });
  afterAll(() => site.close());
  let count = 0;
  beforeEach(async () => {
    client = await openDocumentSite();
    clientId = `${client.origin}/client-${count++}.json`;
    site.test.service[internals].consents.network = client.network;
    publish();
    // The limits of one test are not those of another.
    site.test.clock.advance(61 * minute);
  });
  afterEach(() => client.close());

  const document = (change: Record<string, unknown> = {}) => ({
    ...{ client_id: clientId, client_name: 'Notes CLI', redirect_uris: [callback] },
    ...change,
  });
  const publish = (change: Record<string, unknown> = {}, headers?: Record<string, string>) =>
    client.publish(document(change), headers);
  const begin = async (id = clientId, params = {}) => {
    const response = await fetch(authorizeUrl(site, id, params).url, { redirect: 'manual' });
    return {
      status: response.status,
      location: response.headers.get('location'),
      text: await response.text(),
    };
  };

  it('is announced', async () => {
    const metadata = await (await fetch(`${site.issuer}/.well-known/oauth-authorization-server`)).json();
    expect(metadata).toHaveProperty('client_id_metadata_document_supported', true);
  });

  it('signs its user in, and refreshes, with one request for its document', async () => {
    const tokens = await signedIn(site, 'ada@example.com', clientId);
    const answer = await call(site, tokens.access_token);
    expect(await answer.json()).toMatchObject({ clientId, email: 'ada@example.com' });
    expect((await refresh(site, clientId, tokens.refresh_token)).status).toBe(200);
    expect(client.requests).toHaveLength(1);
    expect(await site.oauth.clients.list()).toContainEqual(
      expect.objectContaining({ id: clientId, kind: 'document', name: 'Notes CLI' }),
    );
  });

  it('is shown by its host, which is what is known of it', async () => {
    publish({ client_name: 'Google Drive' });
    const browser = await site.browser('ada@example.com');
    const { html } = await browser.open(authorizeUrl(site, clientId).url);
    const { host } = new URL(clientId);
    expect(html).toContain(`<h1>Allow ${host} to use your account?</h1>`);
    expect(html).toContain(`<strong><bdi>Google Drive</bdi></strong> (<bdi dir="ltr">${host}</bdi>)`);
    publish({ client_name: undefined });
    site.test.clock.advance(11 * minute);
    const nameless = await browser.open(authorizeUrl(site, clientId).url);
    expect(nameless.html).toContain(`<strong><bdi>${host}</bdi></strong> asks`);
  });

  it('has exact redirect addresses, and any port of a loopback address', async () => {
    publish({ redirect_uris: [callback, 'http://127.0.0.1/callback', 'com.example.notes:/callback'] });
    const accepted = ['http://127.0.0.1:4711/callback', 'com.example.notes:/callback', callback];
    for (const redirect_uri of accepted) expect((await begin(clientId, { redirect_uri })).status).toBe(303);
    for (const redirect_uri of [
      `${callback}/other`,
      'http://127.0.0.1:4711/other',
      'http://localhost/callback',
    ])
      expect((await begin(clientId, { redirect_uri })).status).toBe(400);
  });

  it.each([
    ['another client id', { client_id: 'https://other.test/client' }, 'client_id must be the address'],
    ['no client id', { client_id: undefined }, 'client_id must be the address'],
    ['a secret', { client_secret: 'secret' }, 'client_secret must not'],
    ['the end of a secret', { client_secret_expires_at: 0 }, 'client_secret_expires_at must not'],
    [
      'a method with a secret',
      { token_endpoint_auth_method: 'client_secret_basic' },
      'token_endpoint_auth_method',
    ],
    ['a method without its keys', { token_endpoint_auth_method: 'private_key_jwt' }, 'jwks'],
    ['symmetric keys', { jwks: { keys: [{ kty: 'oct', k: 'x' }] } }, 'JSON Web Key Set'],
    ['no redirect addresses', { redirect_uris: undefined }, 'redirect_uris'],
    ['plain HTTP', { redirect_uris: ['http://notes.test/callback'] }, 'must use https'],
    ['a script', { redirect_uris: ['javascript:alert(1)'] }, 'must use https'],
    ['a name with controls', { client_name: 'Acme\u202Eelgoog' }, 'client_name'],
    ['implicit answers', { response_types: ['token'] }, 'response_types'],
  ])('is refused with %s', async (_name, change, reason) => {
    publish(change);
    const { status, location } = await begin();
    expect([status, location]).toEqual([400, null]);
    const refused = site.test.log.filter(({ fields }) => fields['event'] === 'oauth_document').at(-1);
    expect(refused?.fields).toMatchObject({ clientId, reason: expect.stringContaining(reason) });
    expect((await site.oauth.clients.list()).map(({ id }) => id)).not.toContain(clientId);
  });

  it.each([
    ['a list', '[]'],
    ['nothing', ''],
    ['a page', '<!doctype html>'],
    ['bytes that are not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
  ])('is refused with %s as its document', async (_name, body) => {
    client.answer((_req, res) => res.writeHead(200, { 'content-type': 'application/json' }).end(body));
    expect((await begin()).status).toBe(400);
  });

  it('learns nothing of what answers inside a network', async () => {
    const { network } = site.test.service[internals].consents;
    const answers = new Set<string>();
    for (const change of [
      { resolve: () => Promise.resolve([{ address: '10.0.0.1', family: 4 }]) },
      { resolve: () => Promise.reject(new Error('getaddrinfo ENOTFOUND')) },
      { ca: undefined as never },
    ]) {
      site.test.service[internals].consents.network = { ...network, ...change };
      answers.add((await begin()).text);
    }
    site.test.service[internals].consents.network = network!;
    client.answer((_req, res) => res.writeHead(302, { location: 'https://10.0.0.1/' }).end());
    answers.add((await begin()).text);
    expect(answers.size).toBe(1);
    expect([...answers][0]).not.toContain('10.0.0.1');
  });

  it('begins no authorization with an old copy', async () => {
    publish({}, { 'cache-control': 'max-age=3600' });
    expect((await begin()).status).toBe(303);
    client.answer((_req, res) => res.writeHead(500).end());
    site.test.clock.advance(59 * minute);
    expect((await begin()).status).toBe(303);
    site.test.clock.advance(2 * minute);
    expect((await begin()).status).toBe(400);
    publish({ redirect_uris: ['https://notes.test/moved'] });
    const { status } = await begin();
    expect([status, (await begin(clientId, { redirect_uri: 'https://notes.test/moved' })).status]).toEqual([
      400, 303,
    ]);
  });

  it('refreshes with its last copy for eight days, while its site is down', async () => {
    const tokens = await signedIn(site, 'ada@example.com', clientId);
    client.answer((_req, res) => res.writeHead(503).end());
    site.test.clock.advance(7 * day);
    const later = await refresh(site, clientId, tokens.refresh_token);
    expect(later.status).toBe(200);
    expect((await call(site, later.access_token)).status).toBe(200);
    site.test.clock.advance(day + minute);
    expect((await refresh(site, clientId, later.refresh_token)).error).toBe('invalid_client');
    // The grant has not ended.
    publish();
    site.test.clock.advance(2 * minute);
    expect((await refresh(site, clientId, later.refresh_token)).status).toBe(200);
  });

  it('asks a site that is down once a minute, although all its users refresh', async () => {
    const tokens = await signedIn(site, 'ada@example.com', clientId);
    client.answer((_req, res) => res.writeHead(503).end());
    site.test.clock.advance(day);
    client.requests.length = 0;
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => refresh(site, clientId, tokens.refresh_token)),
    );
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expect(client.requests).toHaveLength(1);
  });

  it('keeps its grants and its name although its copy is old and expired rows are deleted', async () => {
    const tokens = await signedIn(site, 'ada@example.com', clientId);
    site.test.clock.advance(89 * day);
    await site.test.service.purgeExpired();
    expect((await site.oauth.clients.list()).map(({ id }) => id)).toContain(clientId);
    expect((await refresh(site, clientId, tokens.refresh_token)).status).toBe(200);
    expect(client.requests).toHaveLength(2);
  });

  it('is limited in the requests that one address causes, but not once it is known', async () => {
    expect((await begin()).status).toBe(303);
    client.answer((_req, res) => res.writeHead(404).end());
    const statuses = new Set<number>();
    for (let time = 0; time < 61; time++) {
      // Of another host each, for which the limit of a host does not count.
      const id = `https://client.test:${client.port}/unknown-${time}`.replace('client', `c${time}.client`);
      statuses.add((await begin(id)).status);
    }
    expect([...statuses]).toEqual([400, 429]);
    expect(client.requests).toHaveLength(60);
    // Others on the same network do not keep the users of a known client out.
    publish();
    site.test.clock.advance(11 * minute);
    expect((await begin()).status).toBe(303);
  });

  it('is limited with others of its host, but not by them once it is known', async () => {
    expect((await begin()).status).toBe(303);
    site.app.set('trust proxy', true);
    const from = async (address: string, id: string) => {
      const headers = { 'x-forwarded-for': address };
      const { status } = await fetch(authorizeUrl(site, id).url, { redirect: 'manual', headers });
      return status;
    };
    const statuses = new Set<number>();
    for (let time = 0; time < 61; time++)
      statuses.add(await from(`8.8.4.${time}`, `${client.origin}/unknown-${time}`));
    expect([...statuses]).toEqual([400, 429]);
    site.test.clock.advance(11 * minute);
    expect(await from('8.8.8.8', clientId)).toBe(303);
    // A known one whose site is down is asked ten times a minute.
    client.answer((_req, res) => res.writeHead(503).end());
    site.test.clock.advance(11 * minute);
    client.requests.length = 0;
    const later: number[] = [];
    for (let time = 0; time < 12; time++) later.push(await from(`8.8.5.${time}`, clientId));
    expect(later).toEqual([...Array<number>(10).fill(400), 429, 429]);
    expect(client.requests).toHaveLength(10);
    publish();
    site.test.clock.advance(minute);
    expect(await from('8.8.8.8', clientId)).toBe(303);
    site.app.set('trust proxy', false);
  });

  it('is unknown at the token endpoint before it has begun an authorization', async () => {
    const answer = await askForToken(site, {
      ...{ grant_type: 'refresh_token', client_id: `${clientId}x`, refresh_token: 'x' },
    });
    expect([answer.status, answer.error]).toEqual([401, 'invalid_client']);
    expect(client.requests).toEqual([]);
  });

  it('proves itself with keys that its document names, which come from the internet too', async () => {
    publish({ token_endpoint_auth_method: 'private_key_jwt', jwks_uri: 'https://10.0.0.1/jwks' });
    const redeemable = await allow(site, await site.browser('ada@example.com'), clientId);
    client.requests.length = 0;
    const claims = { iss: clientId, sub: clientId, aud: site.issuer, exp: 9_999_999_999, jti: 'x' };
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const answer = await askForToken(site, {
      ...redeemable,
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: `${part({ alg: 'ES256', typ: 'JWT' })}.${part(claims)}.${'A'.repeat(86)}`,
    });
    expect([answer.status, answer.error]).toEqual([401, 'invalid_client']);
    expect(client.requests).toEqual([]);
    expect((await askForToken(site, redeemable)).error).toBe('invalid_client');
  });

  it.each(['jwks', 'jwks_uri'] as const)('proves itself with a key of its %s', async (place) => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const keys = { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'a', alg: 'ES256', use: 'sig' }] };
    const found = place === 'jwks' ? { jwks: keys } : { jwks_uri: `${client.origin}/keys` };
    const described = document({ token_endpoint_auth_method: 'private_key_jwt', ...found });
    client.answer((req, res) => {
      res.writeHead(200, { 'content-type': 'application/json' });
      res.end(JSON.stringify(req.url === '/keys' ? keys : described));
    });
    const redeemable = await allow(site, await site.browser('ada@example.com'), clientId);
    const assertion = () =>
      jsonwebtoken.sign({}, privateKey, {
        ...{ algorithm: 'ES256', keyid: 'a', issuer: clientId, subject: clientId, audience: site.issuer },
        ...{ jwtid: String(Math.random()), expiresIn: 60 },
      });
    const proof = (client_assertion: string) => ({
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion,
    });
    const used = assertion();
    const tokens = await askForToken(site, { ...redeemable, ...proof(used) });
    expect(tokens.status).toBe(200);
    const again = refresh(site, clientId, tokens.refresh_token, proof(used));
    expect(await again).toMatchObject({ status: 401, error: 'invalid_client' });
    expect((await refresh(site, clientId, tokens.refresh_token, proof(assertion()))).status).toBe(200);
    expect(client.requests.filter((path) => path === '/keys')).toHaveLength(place === 'jwks' ? 0 : 1);
  });

  it('is the official MCP client', async () => {
    const memory: McpMemory = {};
    publish({ redirect_uris: ['http://127.0.0.1:7777/callback'] });
    const provider = mcpProvider(memory, clientId);
    expect(await auth(provider, { serverUrl: site.resource })).toBe('REDIRECT');
    expect(memory.client).toMatchObject({ client_id: clientId });
    const browser = await site.browser('ada@example.com');
    const page = await browser.open(memory.url!);
    const { url } = await browser.submit(page.html, '/consent/allow');
    const [authorizationCode, iss] = [url.searchParams.get('code')!, url.searchParams.get('iss')!];
    expect(await auth(provider, { serverUrl: site.resource, authorizationCode, iss })).toBe('AUTHORIZED');
    expect((await call(site, memory.tokens!.access_token)).status).toBe(200);
    expect(await auth(provider, { serverUrl: site.resource })).toBe('AUTHORIZED');
    expect((await call(site, memory.tokens!.access_token)).status).toBe(200);
  });
});

describe('Without metadata documents', () => {
  it('an address is an unknown client, and is not requested', async () => {
    const client = await openDocumentSite();
    const site = await openOAuthSite({ metadataDocuments: false });
    site.test.service[internals].consents.network = client.network;
    client.publish({ client_id: `${client.origin}/c`, redirect_uris: [callback] });
    const response = await fetch(authorizeUrl(site, `${client.origin}/c`).url, { redirect: 'manual' });
    expect([response.status, client.requests]).toEqual([400, []]);
    const metadata = await (await fetch(`${site.issuer}/.well-known/oauth-authorization-server`)).json();
    expect(metadata).toHaveProperty('client_id_metadata_document_supported', false);
    await site.close();
    await client.close();
  });
});
