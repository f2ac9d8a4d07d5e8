// The application manages clients: their addresses, names and secrets.
import { generateKeyPairSync } from 'node:crypto';
import { openOAuthSite, type OAuthSite } from '../support/oauth-site.js';
import { inParallel } from '../../testing/conformance/suite.js';
import { outcomeOf } from '../support/outcomes.js';
import { allow, askForToken, authorizeUrl, call, callback, signedIn } from './protocol.js';

describe('Clients', () => {
  let site: OAuthSite;
  beforeAll(async () => {
    site = await openOAuthSite({ registration: true });
  });
  afterAll(() => site.close());

  const create = (input = {}) =>
    site.oauth.clients.create({ name: 'Partner', redirectUris: [callback], confidential: true, ...input });

  const isAccepted = async (clientId: string, secret: string) => {
    const { client_id: _, ...redeemable } = await allow(
      site,
      await site.browser('ada@example.com'),
      clientId,
    );
    const authorization = `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}`;
    const { status } = await askForToken(site, redeemable, { authorization });
    return status === 200;
  };

  it('are returned by their ids, without what their secrets could be made of', async () => {
    const { client, secret } = await create({ uri: 'https://partner.test/' });
    expect(await site.oauth.clients.get(client.id)).toEqual(client);
    expect(client).toEqual({
      ...{ id: client.id, name: 'Partner', redirectUris: [callback], uri: 'https://partner.test/' },
      ...{ kind: 'registered', confidential: true, expiresAt: null },
      createdAt: new Date(site.test.clock.now()),
      secrets: [{ id: expect.any(String), createdAt: new Date(site.test.clock.now()) }],
    });
    expect(await site.oauth.clients.get('unknown')).toBeNull();
    expect(JSON.stringify(await site.oauth.clients.list())).not.toContain(secret);
    const stored = await site.test.adapter.oauthServer!.findClient(client.id, new Date());
    expect(JSON.stringify(stored)).not.toContain(secret);
  });

  it('change from one secret to another one without a break', async () => {
    const { clients } = site.oauth;
    const { client, secret: first } = await create();
    const added = (await clients.addSecret(client.id))!;
    expect(added.client.secrets).toHaveLength(2);
    expect(await isAccepted(client.id, first!)).toBe(true);
    expect(await isAccepted(client.id, added.secret)).toBe(true);
    expect(await isAccepted(client.id, 'x'.repeat(43))).toBe(false);
    await expect(clients.addSecret(client.id)).rejects.toThrow('two secrets');
    const [old, next] = added.client.secrets;
    expect(await clients.removeSecret(client.id, old!.id)).toBe(true);
    expect(await clients.removeSecret(client.id, old!.id)).toBe(false);
    expect(await isAccepted(client.id, first!)).toBe(false);
    expect(await isAccepted(client.id, added.secret)).toBe(true);
    await expect(clients.removeSecret(client.id, next!.id)).rejects.toThrow('only secret');
    expect((await clients.get(client.id))!.secrets).toEqual([next]);
  });

  it('get no third secret, and keep one, when they are changed at the same time', async () => {
    const { clients } = site.oauth;
    const { client } = await create();
    const outcomes = await inParallel(8, () => outcomeOf(() => clients.addSecret(client.id)));
    expect(outcomes.filter((outcome) => outcome === 'ok')).toHaveLength(1);
    const { secrets } = (await clients.get(client.id))!;
    expect(secrets).toHaveLength(2);
    await Promise.all(secrets.map(({ id }) => outcomeOf(() => clients.removeSecret(client.id, id))));
    expect((await clients.get(client.id))!.secrets).toHaveLength(1);
  });

  it('keep what users have given them when they change', async () => {
    const { clients } = site.oauth;
    const { client } = await create({ confidential: false, uri: 'https://partner.test/' });
    const tokens = await signedIn(site, 'ada@example.com', client.id);
    const changes = { name: 'Renamed', redirectUris: ['https://other.test/callback'], uri: null };
    const changed = await clients.update(client.id, changes);
    expect(changed).toEqual({ ...client, ...changes });
    expect(await clients.get(client.id)).toEqual(changed);
    expect(await clients.update(client.id, {})).toEqual(changed);
    expect((await call(site, tokens.access_token)).status).toBe(200);
    const former = await (await site.browser('ada@example.com')).open(authorizeUrl(site, client.id).url);
    expect(former.status).toBe(400);
    expect(await clients.update('unknown', changes)).toBeNull();
    expect(await clients.addSecret('unknown')).toBeNull();
    expect(await clients.removeSecret('unknown', 'x')).toBe(false);
  });

  it.each([
    ['a plain HTTP address', { redirectUris: ['http://partner.test/callback'] }],
    ['an address with a fragment', { redirectUris: ['https://partner.test/callback#x'] }],
    ['no address', { redirectUris: [] }],
    ['a page without an address', { uri: 'partner' }],
    ['a name on two lines', { name: 'Partner\nof Acme' }],
    ['an unknown option', { secrets: [] }],
  ])('refuse a change to %s', async (_what, changes) => {
    const { client } = await create();
    const outcome = await outcomeOf(() => site.oauth.clients.update(client.id, changes as object));
    expect(outcome).toBe('invalid_request');
    expect(await site.oauth.clients.get(client.id)).toEqual(client);
  });

  it('that have registered themselves, or keep no secret, get none', async () => {
    const { clients } = site.oauth;
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const jwk = { ...publicKey.export({ format: 'jwk' }), alg: 'ES256', kid: 'one' };
    const withKey = await create({ confidential: undefined, jwks: { keys: [jwk] } });
    expect(withKey).toMatchObject({ secret: null, client: { confidential: true, secrets: [] } });
    await expect(clients.addSecret(withKey.client.id)).rejects.toMatchObject({ code: 'invalid_request' });
    const { client } = await create({ confidential: false });
    expect(client).toMatchObject({ confidential: false, secrets: [] });
    await expect(clients.addSecret(client.id)).rejects.toMatchObject({ code: 'invalid_request' });
    const response = await fetch(`${site.issuer}/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        redirect_uris: [callback],
        token_endpoint_auth_method: 'client_secret_basic',
      }),
    });
    const answer = (await response.json()) as { client_id: string; client_secret: string };
    expect(answer).not.toHaveProperty('client_secrets');
    const id = answer.client_id;
    expect(await isAccepted(id, answer.client_secret)).toBe(true);
    expect(await clients.get(id)).toMatchObject({ kind: 'dynamic', confidential: true });
    for (const change of [() => clients.addSecret(id), () => clients.update(id, { name: 'Bank' })])
      await expect(change()).rejects.toMatchObject({ code: 'invalid_request' });
    expect(await clients.remove(id)).toBe(true);
  });

  it('are reported as events with their administrators, and end the changes of one who was signed out', async () => {
    const { clients } = site.oauth;
    const { service } = site.test;
    const admin = await service.users.create({ email: 'root@example.com', roles: ['admin'] });
    const events: unknown[] = [];
    const off = service.on('*', (name, payload) => name.startsWith('oauth_') && events.push([name, payload]));
    const actor = { type: 'user', id: admin.id } as const;
    const by = { actor, sessionEpoch: 0, sessionRoles: ['admin'] };
    const { client } = await clients.create(
      { name: 'Partner', redirectUris: [callback], confidential: true },
      by,
    );
    const clientId = client.id;
    await clients.update(clientId, { name: 'Renamed' }, by);
    const added = (await clients.addSecret(clientId, by))!;
    const secretId = added.client.secrets[1]!.id;
    await clients.removeSecret(clientId, secretId, by);
    await service.users.signOut(admin.id);
    const refused = [
      () => clients.create({ name: 'Partner', redirectUris: [callback] }, by),
      () => clients.update(clientId, { name: 'Bank' }, by),
      () => clients.addSecret(clientId, by),
      () => clients.remove(clientId, by),
    ];
    for (const change of refused) expect(await outcomeOf(change)).toBe('token_invalid');
    await clients.remove(clientId);
    await new Promise(setImmediate);
    off();
    expect(events).toEqual([
      ['oauth_client.created', { clientId, actor }],
      ['oauth_client.updated', { clientId, fields: ['name'], actor }],
      ['oauth_client.secret_added', { clientId, secretId, actor }],
      ['oauth_client.secret_removed', { clientId, secretId, actor }],
      ['oauth_client.removed', { clientId, actor: { type: 'system' } }],
    ]);
    expect(JSON.stringify(site.test.log)).not.toContain(added.secret);
  });
});
