/** What the page of the consent asks of the server: which request waits, and what its user decides. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { uuidV7 } from '../crypto/random.js';
import type { ConsentDesk } from '../core/internals.js';
import type { Clock } from '../core/support/clock.js';
import type { EventBus } from '../core/support/events.js';
import type { Logger } from '../core/support/logger.js';
import type { OAuthGrant } from '../domain/oauth-server.js';
import { TokenInvalidError } from '../errors/catalog.js';
import type { OAuthServerRepository } from '../storage/oauth-server-repository.js';
import { documentUrl } from './metadata-documents/document-url.js';
import { defaultScopesParam, requestTtlMs, type Engine } from './engine.js';
import { limitGrants } from './grant-limits.js';
import { noResource, type OAuthServerSettings } from './options.js';
import { tokenDigest } from './records.js';
import { hostOf, isLoopback, isNative } from './redirect-uris.js';

interface DeskTools {
  clock: Clock;
  engine: () => Promise<Engine>;
  events: EventBus;
  logger: Logger;
  repository: OAuthServerRepository;
  settings: OAuthServerSettings;
}

type Interaction = Awaited<ReturnType<Engine['interactionDetails']>>;

interface Params {
  client_id?: string;
  redirect_uri?: string;
  scope?: string;
  resource?: string | string[];
  prompt?: string;
  max_age?: string | number;
  id_token_hint?: string;
  [defaultScopesParam]?: string;
}

const listOf = (value: string | readonly string[] | undefined) =>
  value === undefined ? [] : typeof value === 'string' ? [value] : value;

/** Whose an ID token is, whose signature the engine has checked. */
function subjectOf(idToken: string): unknown {
  const payload = Buffer.from(idToken.split('.')[1] ?? '', 'base64url').toString();
  return (JSON.parse(payload) as { sub?: unknown }).sub;
}

export function consentDesk({ clock, engine, events, logger, repository, settings }: DeskTools): ConsentDesk {
  /** The scopes of a request, by resource. */
  function scopesOf(params: Params): OAuthGrant['scopes'] {
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

  async function find(req: IncomingMessage, res: ServerResponse, id: string): Promise<Interaction | null> {
    try {
      const interaction = await (await engine()).interactionDetails(req, res);
      // The cookie is of the request that began last: a page that shows another one must not decide about it.
      return interaction.uid === id ? interaction : null;
    } catch (error) {
      if ((error as { error?: string }).error === 'invalid_request') return null;
      throw error;
    }
  }

  async function finish(
    req: IncomingMessage,
    res: ServerResponse,
    id: string,
    decide: (interaction: Interaction) => Promise<Record<string, unknown>>,
  ): Promise<void> {
    const interaction = await find(req, res, id);
    if (!interaction || interaction.result) throw new TokenInvalidError();
    const result = await decide(interaction);
    await (await engine()).interactionResult(req, res, result, { mergeWithLastSubmission: false });
  }

  /** When the user must have signed in for this request, in milliseconds since the epoch. Null if a session suffices. */
  async function signInSince({ prompt = '', max_age: maxAge }: Params, id: string): Promise<number | null> {
    const mustSignIn = prompt.split(' ').includes('login');
    if (!mustSignIn && maxAge === undefined) return null;
    // By our own clock, as the time of the sign-in is.
    const request = await repository.findToken(tokenDigest('request', id));
    const begun = (request?.expiresAt.getTime() ?? Infinity) - requestTtlMs;
    return mustSignIn ? begun : begun - Number(maxAge) * 1000;
  }

  return {
    async open(req, res, id) {
      const interaction = await find(req, res, id);
      if (!interaction) return null;
      const params = interaction.params as Params;
      const client = await (await engine()).Client.find(params.client_id ?? '');
      if (!client) return null;
      const address = params.redirect_uri ?? '';
      const scopes = scopesOf(params);
      const clientHost = documentUrl(client.clientId)?.host ?? null;
      return {
        id,
        client: {
          id: client.clientId,
          name: client.clientName ?? clientHost ?? client.clientId,
          uri: client.clientUri ?? null,
          host: clientHost,
        },
        host: hostOf(address),
        isLocal: isNative([address]) || isLoopback(new URL(address)),
        scopes: Object.entries(scopes).flatMap(([resource, names]) =>
          names.map((name) => ({
            resource,
            name,
            description: settings.resources.get(resource)?.scopes[name] ?? name,
          })),
        ),
        mustAsk: (params.prompt ?? '').split(' ').includes('consent'),
        signInSince: await signInSince(params, id),
        continuesAt: interaction.result ? interaction.returnTo : null,
      };
    },
    async isGranted({ client, isLocal, mustAsk, scopes }, userId) {
      // Any program on the computer can claim to be this client (RFC 8252, 8.6).
      if (isLocal || mustAsk) return false;
      const grants = await repository.listGrants(userId, new Date(clock()));
      const given = grants.filter(({ clientId }) => clientId === client.id);
      // A scope of one resource allows nothing at another one that has a scope of this name.
      return (
        scopes.length > 0 &&
        scopes.every(({ resource, name }) => given.some((grant) => grant.scopes[resource]?.includes(name)))
      );
    },
    allow: (req, res, id, { user, signedInAt }) =>
      finish(req, res, id, async ({ params }) => {
        const asked = params as Params;
        const since = await signInSince(asked, id);
        if (since !== null && signedInAt.getTime() < since) throw new TokenInvalidError();
        // The client has asked for the user of its ID token (OpenID Connect Core, 3.1.2.1).
        if (asked.id_token_hint !== undefined && subjectOf(asked.id_token_hint) !== user.id)
          return { error: 'login_required', error_description: 'Another user is signed in.' };
        const now = clock();
        const grant: OAuthGrant = {
          ...{ id: uuidV7(now), userId: user.id, clientId: asked.client_id ?? '', epoch: user.epoch },
          ...{ scopes: scopesOf(asked), renewal: null, counter: 0, lastUsedAt: null },
          ...{ rotatedAt: new Date(now), createdAt: new Date(now) },
          expiresAt: new Date(now + settings.refreshTtlMs),
        };
        if (!(await repository.insertGrant(grant, new Date(now)))) throw new TokenInvalidError();
        await limitGrants(repository, user.id, new Date(now));
        const about = { userId: user.id, clientId: grant.clientId };
        logger.info({ event: 'oauth_access_granted', ...about }, 'a user gave a client access');
        events.emit('oauth.access_granted', about);
        const ts = Math.floor(signedInAt.getTime() / 1000);
        return { login: { accountId: user.id, ts, remember: false }, consent: { grantId: grant.id } };
      }),
    deny: (req, res, id) =>
      finish(req, res, id, () =>
        Promise.resolve({ error: 'access_denied', error_description: 'The user has refused the request.' }),
      ),
  };
}
