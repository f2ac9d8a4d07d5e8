/** What the pages of the consent and of devices do alike: they describe what a client asks for, and give it access. */
import { uuidV7 } from '../crypto/random.js';
import type { AuthorizationRequest } from '../core/internals.js';
import type { LiveSession } from '../core/sessions/session-checks.js';
import type { Clock } from '../core/support/clock.js';
import type { Changes } from '../core/support/changes.js';
import type { Logger } from '../core/support/logger.js';
import type { OAuthGrant, OAuthToken } from '../domain/oauth-server.js';
import type { OAuthServerRepository, TokenChange } from '../storage/oauth-server-repository.js';
import { defaultScopesParam, type Engine } from './engine.js';
import { limitGrants } from './grant-limits.js';
import { documentUrl } from './metadata-documents/document-url.js';
import { rememberConsent } from './remembered.js';
import { noResource, type OAuthServerSettings } from './options.js';

export interface GrantingTools {
  clock: Clock;
  engine: () => Promise<Engine>;
  changes: Changes;
  logger: Logger;
  repository: OAuthServerRepository;
  settings: OAuthServerSettings;
}

/** What a client asks for. */
export interface AskedParams {
  scope?: string;
  resource?: string | string[];
  [defaultScopesParam]?: string;
}

const listOf = (value: string | readonly string[] | undefined) =>
  value === undefined ? [] : typeof value === 'string' ? [value] : value;

/** The scopes of a request, by resource. */
export function askedScopes(settings: OAuthServerSettings, params: AskedParams): OAuthGrant['scopes'] {
  const { scope = '', resource, [defaultScopesParam]: hasNone } = params;
  const asked = scope.split(' ').filter(Boolean);
  const byResource = listOf(resource).map((each) => {
    const { scopes = {}, defaultScopes = [] } = settings.resources.get(each) ?? {};
    const known = hasNone === undefined ? Object.keys(scopes) : defaultScopes;
    return [each, asked.filter((name) => known.includes(name))] as const;
  });
  const named = new Set(byResource.flatMap(([, names]) => names));
  // The engine grants no other ones, and the client must not write a sentence of its own on the page.
  const ofNone = asked.filter((name) => noResource.includes(name) && !named.has(name));
  const all = ofNone.length > 0 ? [['', ofNone] as const, ...byResource] : byResource;
  return Object.fromEntries(all);
}

export function describedScopes(
  settings: OAuthServerSettings,
  scopes: OAuthGrant['scopes'],
): AuthorizationRequest['scopes'] {
  return Object.entries(scopes).flatMap(([resource, names]) =>
    names.map((name) => ({
      resource,
      name,
      description: settings.resources.get(resource)?.scopes[name] ?? name,
    })),
  );
}

interface Decision {
  clientId: string;
  scopes: OAuthGrant['scopes'];
  /** Where the browser returns. Absent for a device. */
  host?: string;
  /** The token that asks. Absent for a request that shows no page. */
  request?: {
    digest: string;
    /** Returns what to store in it, with the id of the grant. Null if it has been decided. */
    decide: (token: OAuthToken, grantId: string) => OAuthToken['data'] | null;
  };
  /** The grants by which the user has given all of it before. Absent if the user decides now. */
  reliesOn?: readonly string[];
}

export type ShownClient = AuthorizationRequest['client'];

/** Returns the client as its users see it. Null if there is no such client. */
export async function shownClient(engine: Engine, clientId: string): Promise<ShownClient | null> {
  const client = await engine.Client.find(clientId);
  if (!client) return null;
  const host = documentUrl(client.clientId)?.host ?? null;
  const name = client.clientName ?? host ?? client.clientId;
  return { id: client.clientId, name, uri: client.clientUri ?? null, host };
}

/**
 * Gives a client access and stores the decision in the token that asks for it, both or neither. Returns the id of the grant, and null if the
 * user may not, or no longer, give it, if the session has ended, if it cannot be decided any more, or if what the user has given before has
 * ended.
 */
export async function giveAccess(
  { changes, clock, logger, repository, settings }: GrantingTools,
  { claims, user }: Pick<LiveSession, 'claims' | 'user'>,
  { clientId, host, reliesOn, request, scopes }: Decision,
): Promise<string | null> {
  const now = clock();
  const grant: OAuthGrant = {
    ...{ id: uuidV7(now), userId: user.id, clientId, epoch: user.epoch },
    ...{ scopes, renewal: null, counter: 0, lastUsedAt: null },
    ...{ rotatedAt: new Date(now), createdAt: new Date(now) },
    expiresAt: new Date(now + settings.refreshTtlMs),
  };
  const about = { userId: user.id, clientId };
  const change: TokenChange = (token) => {
    const data = request?.decide(token, grant.id);
    return data ? { data, grantId: grant.id } : null;
  };
  const conditions = {
    // A token without either of them ends with the epoch of its user alone.
    sessionId: claims.sid ?? claims.fid,
    request: request && { digest: request.digest, change },
    reliesOn,
  };
  const isGiven = await changes.commit(
    () => repository.insertGrant(grant, new Date(now), conditions),
    (isInserted) => (isInserted ? [['oauth.access_granted', about]] : []),
  );
  if (!isGiven) return null;
  logger.info({ event: 'oauth_access_granted', ...about }, 'a user gave a client access');
  if (host !== undefined)
    await rememberConsent({ repository }, grant, { host, isAsked: reliesOn === undefined }).catch(
      (err: unknown) => logger.error({ event: 'oauth_server', err }, 'a consent could not be remembered'),
    );
  // The client has its access, whatever happens here: the next decision removes what is left over.
  await limitGrants({ changes, repository }, user.id, new Date(now)).catch((err: unknown) =>
    logger.error({ event: 'oauth_server', err }, 'the grants of a user could not be limited'),
  );
  return grant.id;
}
