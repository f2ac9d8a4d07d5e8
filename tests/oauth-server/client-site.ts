/** A site with a client that the application has registered, and what its users have given it. */
import type { StorageAdapter } from 'svc-auth';
import type { OAuthGrant } from '../../src/domain/oauth-server.js';
import { openOAuthSite, type OAuthSite } from '../support/oauth-site.js';
import { callback } from './protocol.js';

export interface ClientSite extends OAuthSite {
  clientId: string;
}

/** As `openOAuthSite`, with a client, for the tests of the current `describe`. It is open while they run. */
export function clientSite(
  options?: Parameters<typeof openOAuthSite>[0],
  adapter?: () => StorageAdapter,
  more?: Parameters<typeof openOAuthSite>[2],
): Readonly<ClientSite> {
  const site = {} as ClientSite;
  beforeAll(async () => {
    Object.assign(site, await openOAuthSite(options, adapter?.(), more));
    const create = { name: 'Notes', redirectUris: [callback] };
    site.clientId = (await site.oauth.clients.create(create)).client.id;
  });
  afterAll(() => site.close());
  return site;
}

/** Returns the active grants of a user, newest first. */
export async function grantsOf({ test }: OAuthSite, email: string): Promise<OAuthGrant[]> {
  const { adapter, clock, service } = test;
  const { id } = (await service.users.find({ email }))!;
  return adapter.oauthServer!.listGrants(id, new Date(clock.now()));
}

/** Does something at the moment when a request is decided, and its grant is about to be stored. `jest.restoreAllMocks` ends it. */
export function beforeNextGrant({ test: { adapter } }: OAuthSite, work: () => Promise<unknown>): void {
  const { oauthServer } = adapter;
  const insertGrant = oauthServer!.insertGrant.bind(oauthServer);
  jest.spyOn(oauthServer!, 'insertGrant').mockImplementationOnce(async (...args) => {
    await work();
    return insertGrant(...args);
  });
}
