/** The clients to which a user has given access: for the user, who can end it. */
import type { ConnectedApps } from '../core/internals.js';
import { mustBeInPerson } from '../core/sessions/in-person.js';
import type { Clock } from '../core/support/clock.js';
import type { Changes } from '../core/support/changes.js';
import type { Logger } from '../core/support/logger.js';
import type { ConnectedApp, ConnectedAppScope } from '../domain/connected-app.js';
import type { OAuthClient } from '../domain/oauth-server.js';
import type { ClientGrant, OAuthServerRepository } from '../storage/oauth-server-repository.js';
import type { ClientMetadata } from './engine.js';
import type { OAuthServerSettings } from './options.js';
import { isThisComputer } from './redirect-uris.js';

interface AppTools {
  clock: Clock;
  changes: Changes;
  logger: Logger;
  repository: OAuthServerRepository;
  settings: OAuthServerSettings;
}

export function connectedApps({ changes, clock, logger, repository, settings }: AppTools): ConnectedApps {
  const toScope = (resource: string, name: string): ConnectedAppScope => ({
    resource,
    name,
    description: settings.resources.get(resource)?.scopes[name] ?? name,
  });
  return {
    async list(userId) {
      const grants = await repository.listGrantsWithClients(String(userId), new Date(clock()));
      const ids = [...new Set(grants.map(({ grant }) => grant.clientId))];
      return ids.map((id) =>
        toApp(
          grants.filter(({ grant }) => grant.clientId === id),
          toScope,
        ),
      );
    },
    async remove(userId, clientId, context) {
      mustBeInPerson(userId, context);
      const removed = await changes.commit(
        () => repository.removeGrantsFor(String(userId), String(clientId)),
        (count) => (count > 0 ? [['oauth.access_removed', { userId, clientId }]] : []),
      );
      if (removed === 0) return false;
      logger.info(
        { event: 'oauth_access_removed', userId, clientId },
        'a user removed the access of a client',
      );
      return true;
    },
  };
}

/** @param grants of one client, newest first. */
function toApp(
  grants: readonly ClientGrant[],
  toScope: (resource: string, name: string) => ConnectedAppScope,
): ConnectedApp {
  const [{ client, grant: newest }] = grants as [ClientGrant];
  const { clientId } = newest;
  const uses = grants.flatMap(({ grant }) => grant.lastUsedAt?.getTime() ?? []);
  const scopes = new Map(
    grants
      .flatMap(({ grant }) => Object.entries(grant.scopes))
      .flatMap(([resource, names]) => names.map((name) => [`${resource} ${name}`, toScope(resource, name)])),
  );
  return {
    clientId,
    name: (client?.metadata as ClientMetadata | undefined)?.client_name ?? clientId,
    host: hostOf(clientId, client),
    createdAt: grants.at(-1)!.grant.createdAt,
    lastUsedAt: uses.length > 0 ? new Date(Math.max(...uses)) : null,
    scopes: [...scopes.values()],
  };
}

function hostOf(clientId: string, client: OAuthClient | null): string | null {
  const { client_uri: page, redirect_uris: redirects = [] } = (client?.metadata ?? {}) as ClientMetadata;
  // A client that has registered itself could name the page of another one. Codes were sent to its redirect addresses.
  const others = client?.kind === 'registered' ? [page] : redirects;
  for (const address of [clientId, ...others]) {
    const url = URL.canParse(address ?? '') ? new URL(address!) : null;
    if (url && /^https?:$/.test(url.protocol) && !isThisComputer(url)) return url.host;
  }
  return null;
}
