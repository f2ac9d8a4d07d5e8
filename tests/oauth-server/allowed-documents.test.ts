// Which clients with a metadata document the application accepts, and how one is kept out after its removal.
import { internals } from '../../src/core/internals.js';
import { createOAuthServer, type OAuthServerOptions } from '../../src/oauth-server.js';
import { openDocumentSite, type DocumentSite } from '../support/document-site.js';
import { makeService } from '../support/make-service.js';
import { openOAuthSite, type OAuthSite } from '../support/oauth-site.js';
import { askForToken, authorizeUrl, callback, refresh, signedIn } from './protocol.js';

describe('A client with a metadata document', () => {
  let site: OAuthSite;
  let client: DocumentSite;
  let clientId: string;
  let allow: (url: URL) => boolean | Promise<boolean>;
  beforeEach(async () => {
    allow = () => true;
    site = await openOAuthSite({ metadataDocuments: { allow: (url) => allow(url) } });
    client = await openDocumentSite();
    clientId = `${client.origin}/client.json`;
    site.test.service[internals].consents.network = client.network;
    client.publish({ client_id: clientId, client_name: 'Notes', redirect_uris: [callback] });
  });
  afterEach(async () => {
    await site.close();
    await client.close();
  });

  const begin = async () => {
    const response = await fetch(authorizeUrl(site, clientId).url, { redirect: 'manual' });
    return { status: response.status, text: await response.text() };
  };
  const reasons = () =>
    site.test.log.flatMap(({ fields }) => (fields['event'] === 'oauth_document' ? [fields['reason']] : []));

  it('comes back with the next authorization after its removal, without what users had given it', async () => {
    const tokens = await signedIn(site, 'ada@example.com', clientId);
    expect(await site.oauth.clients.remove(clientId)).toBe(true);
    expect((await refresh(site, clientId, tokens.refresh_token)).error).toBe('invalid_client');
    const page = await (await site.browser('ada@example.com')).open(authorizeUrl(site, clientId).url);
    expect(page.url.pathname).toBe('/consent');
    expect((await refresh(site, clientId, tokens.refresh_token)).error).toBe('invalid_grant');
  });

  it('stays away after its removal if allow refuses it, and is not fetched', async () => {
    await signedIn(site, 'ada@example.com', clientId);
    allow = ({ href }) => href !== clientId;
    await site.oauth.clients.remove(clientId);
    client.requests.length = 0;
    const { status, text } = await begin();
    expect([status, client.requests]).toEqual([400, []]);
    expect(text).toContain('invalid_client');
    expect(text).toContain('it is not accepted here');
    expect(reasons()).toEqual(['it is not accepted here']);
    expect(await site.oauth.clients.get(clientId)).toBeNull();
  });

  it('is refused at each use from the moment when allow refuses it, and works again once allow accepts it', async () => {
    const tokens = await signedIn(site, 'ada@example.com', clientId);
    const browser = await site.browser('bob@example.com');
    const page = await browser.open(authorizeUrl(site, clientId).url);
    allow = () => Promise.resolve(false);
    expect((await refresh(site, clientId, tokens.refresh_token)).error).toBe('invalid_client');
    const device = await fetch(`${site.issuer}/oauth/device`, {
      method: 'POST',
      body: new URLSearchParams({ client_id: clientId, scope: 'notes:read' }),
    });
    expect(await device.json()).toMatchObject({ error: 'invalid_client' });
    const end = await browser.submit(page.html, '/consent/allow');
    expect([end.url.pathname, end.status]).toEqual(['/consent', 404]);
    allow = () => true;
    expect((await refresh(site, clientId, tokens.refresh_token)).status).toBe(200);
  });

  it.each([
    [
      'that throws',
      () => {
        throw new Error('The list is down.');
      },
    ],
    ['that rejects', () => Promise.reject(new Error('The list is down.'))],
  ])('is refused by a function %s, which the log says', async (_name, broken) => {
    const tokens = await signedIn(site, 'ada@example.com', clientId);
    allow = broken;
    const { status, text } = await begin();
    expect([status, text.includes('The list is down.')]).toEqual([400, false]);
    expect((await refresh(site, clientId, tokens.refresh_token)).error).toBe('invalid_client');
    const logged = site.test.log.filter(({ level, fields }) => level === 'error' && 'clientId' in fields);
    expect(logged.map(({ fields }) => [fields['event'], fields['clientId']])).toContainEqual([
      'oauth_document',
      clientId,
    ]);
  });

  it('is refused by an answer that is not true', async () => {
    allow = () => 'yes' as unknown as boolean;
    expect((await begin()).status).toBe(400);
  });

  it('is refused, and that is logged, if allow does not answer', async () => {
    allow = () => new Promise(() => undefined);
    expect((await begin()).status).toBe(400);
    const failures = site.test.log.filter(({ message }) => message === 'metadataDocuments.allow has failed');
    expect(failures.length).toBeGreaterThan(0);
  }, 60_000);

  it('cannot be changed by the function', async () => {
    allow = (url) => {
      url.hostname = 'other.test';
      return true;
    };
    expect((await begin()).status).toBe(303);
    expect(await site.oauth.clients.get(clientId)).toMatchObject({ id: clientId });
  });

  it('is the only kind of client that allow decides about', async () => {
    allow = () => false;
    const { client: registered } = await site.oauth.clients.create({ name: 'Own', redirectUris: [callback] });
    expect((await signedIn(site, 'ada@example.com', registered.id)).status).toBe(200);
    const unknown = { grant_type: 'refresh_token', client_id: 'unknown', refresh_token: 'x' };
    expect((await askForToken(site, unknown)).error).toBe('invalid_client');
  });
});

describe('The option metadataDocuments', () => {
  it.each([
    ['yes', 'createOAuthServer.metadataDocuments: must be a boolean or an object'],
    [{ allow: true }, 'createOAuthServer.metadataDocuments.allow: must be a function'],
    [{ allowed: () => true }, 'Unrecognized key: "allowed"'],
  ])('is refused as %j', async (metadataDocuments, message) => {
    const { service } = await makeService();
    const options = {
      issuer: 'https://acme.test',
      resources: { 'https://acme.test/mcp': { scopes: {} } },
      metadataDocuments,
    } as unknown as OAuthServerOptions;
    expect(() => createOAuthServer(service, options)).toThrow(message);
    await service.close();
  });

  it('announces metadata documents as an object too', async () => {
    const site = await openOAuthSite({ metadataDocuments: {} });
    const metadata = await (await fetch(`${site.issuer}/.well-known/oauth-authorization-server`)).json();
    expect(metadata).toHaveProperty('client_id_metadata_document_supported', true);
    await site.close();
  });
});
