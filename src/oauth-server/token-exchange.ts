/**
 * Tokens for agents that act for a user (RFC 8693): under the same grant, for what the user has given and the agent may ask for. It knows
 * the package of the protocol, as engine.ts does.
 */
import type { OAuthGrant, TokenActor } from '../domain/oauth-server.js';
import type { FoundAccess } from '../storage/oauth-server-repository.js';
import { accessDigest, type JwtTools } from './jwt-access-tokens.js';
import type { TokenData, TokenExtra } from './records.js';
import {
  listOf,
  provenKey,
  scopesOfClient,
  targetOf,
  type GrantTools,
  type TokenRequest,
} from './token-requests.js';

/** The only type of tokens that is exchanged (RFC 8693, 3). */
const accessToken = 'urn:ietf:params:oauth:token-type:access_token';
const maxActors = 5;

export const exchangeParameters = [
  ...['subject_token', 'subject_token_type', 'actor_token', 'actor_token_type'],
  ...['requested_token_type', 'scope', 'resource', 'audience'],
] as const;

export interface TokenExchanged {
  userId: string;
  /** The agent that has got the token. */
  clientId: string;
  /** The agent, and the ones before it. */
  act: TokenActor;
  resource: string;
  scopes: readonly string[];
}

export interface ExchangeTools extends GrantTools, JwtTools {
  /** Saves the token together with the report of it. Returns the token. */
  saveExchanged: (save: () => Promise<string>, exchanged: TokenExchanged) => Promise<string>;
}

type Params = Partial<Record<(typeof exchangeParameters)[number], string | string[]>>;

/** What the engine does not store of tokens, until they are saved. */
const extras = new WeakMap<object, TokenExtra>();
export const extraOf = (token: object): TokenExtra | undefined => extras.get(token);

export function tokenExchange(tools: ExchangeTools): (ctx: TokenRequest) => Promise<void> {
  const { clock, engine, errors, repository, settings } = tools;

  async function find(value: string): Promise<FoundAccess | null> {
    const digest = await accessDigest(tools, value);
    return digest === null ? null : repository.findAccess(digest, new Date(clock()));
  }

  function read(params: Params, name: 'subject_token' | 'actor_token'): string | null {
    const [value, type] = [params[name], params[`${name}_type`]];
    if (value === undefined && type === undefined) return null;
    if (typeof value !== 'string' || value === '') throw new errors.InvalidRequest(`${name} is missing`);
    if (type !== accessToken) throw new errors.InvalidRequest(`${name}_type must be ${accessToken}`);
    return value;
  }

  /** The token that the user's client has got, or another agent for it. */
  async function subjectOf(params: Params) {
    const value = read(params, 'subject_token');
    if (value === null) throw new errors.InvalidRequest('subject_token is missing');
    const found = await find(value);
    if (!found) throw new errors.InvalidGrant('subject_token is not valid');
    if (!found.active) throw new errors.InvalidRequest('subject_token is of no user');
    const data = found.token.data as TokenData;
    // A token for a sign-in alone gives access to no resource, and so does nothing that it is exchanged for.
    if (data.aud === undefined) throw new errors.InvalidRequest('subject_token is for no resource');
    return { data, expiresAt: found.token.expiresAt, ...found.active };
  }

  /** @throws InvalidRequest if there is a token of an actor, and it is not the agent itself. */
  async function checkActor(params: Params, clientId: string, key: string | null): Promise<void> {
    const value = read(params, 'actor_token');
    if (value === null) return;
    const found = await find(value);
    const { jkt = key } = (found?.token.data ?? {}) as TokenData;
    const isAgent = found?.active === null && found.token.clientId === clientId && jkt === key;
    if (!isAgent) throw new errors.InvalidRequest('actor_token must be an access token of the client itself');
  }

  return async (ctx) => {
    const { client } = ctx.oidc;
    const params = ctx.oidc.params as Params;
    const { requested_token_type: requested = accessToken } = params;
    if (requested !== accessToken)
      throw new errors.InvalidRequest(`requested_token_type must be ${accessToken}`);
    const subject = await subjectOf(params);
    const key = await provenKey(tools, ctx);
    // What was of no use to a thief must not become so on the way.
    if (subject.data.jkt !== undefined && key === null)
      throw new errors.InvalidDpopProof('subject_token is bound to a key, and so must the new token be');
    await checkActor(params, client.clientId, key);
    const act = actorOf(client.clientId, subject.data.extra?.act);
    if (lengthOf(act) > maxActors) throw new errors.InvalidRequest(`at most ${maxActors} agents act in turn`);

    const target = targetOf(tools, [...listOf(params.resource), ...listOf(params.audience)]);
    const resource = target.identifier();
    const reach = reachOf(subject.grant, subject.data);
    const asked = typeof params.scope === 'string' ? params.scope.split(' ') : null;
    const allowed = new Set(scopesOfClient(client, target));
    const scopes = (reach[resource] ?? []).filter(
      (scope) => allowed.has(scope) && (asked?.includes(scope) ?? true),
    );
    if (scopes.length === 0)
      throw new errors.InvalidScope('nothing of it is allowed', asked?.join(' ') ?? '');

    const remainingMs = Math.min(subject.expiresAt.getTime() - clock(), settings.accessTtlMs);
    const expiresIn = Math.floor(remainingMs / 1000);
    if (expiresIn < 1) throw new errors.InvalidGrant('subject_token is not valid');
    const token = new engine.AccessToken({
      ...{ accountId: subject.user.id, client, grantId: subject.grant.id, gty: 'token_exchange' },
      ...{ expiresIn, scope: scopes.join(' ') },
    });
    token.resourceServer = target;
    if (key !== null) token.setThumbprint('jkt', key);
    const agentScopes = new Set((client.scope ?? '').split(' '));
    extras.set(token, {
      act,
      until: subject.expiresAt.getTime(),
      reach: { ...narrowed(reach, agentScopes), [resource]: scopes },
    });
    const exchanged = { userId: subject.user.id, clientId: client.clientId, act, resource, scopes };
    ctx.body = {
      access_token: await tools.saveExchanged(() => token.save(), exchanged),
      issued_token_type: accessToken,
      token_type: token.tokenType,
      expires_in: expiresIn,
      scope: scopes.join(' '),
    };
  };
}

type Reach = Readonly<Record<string, readonly string[]>>;

/**
 * What a token can be exchanged for, by resource: what its client has, at the token's own resource no more than the token. After an
 * exchange, also no more than each of the agents may, so that it never grows on the way.
 */
function reachOf({ scopes: granted }: OAuthGrant, { aud = '', reach, scope = '' }: TokenData): Reach {
  const { '': _none, ...resources } = granted;
  const own = { ...(reach ?? resources), [aud]: scope.split(' ') };
  const entries = Object.entries(own).map(
    ([resource, names]) => [resource, names.filter((name) => granted[resource]?.includes(name))] as const,
  );
  return Object.fromEntries(entries);
}

function narrowed(reach: Reach, scopes: ReadonlySet<string>): Reach {
  const entries = Object.entries(reach).map(
    ([resource, names]) => [resource, names.filter((name) => scopes.has(name))] as const,
  );
  return Object.fromEntries(entries);
}

const actorOf = (sub: string, act: TokenActor | undefined): TokenActor => (act ? { sub, act } : { sub });

function lengthOf({ act }: TokenActor): number {
  return act ? 1 + lengthOf(act) : 1;
}
