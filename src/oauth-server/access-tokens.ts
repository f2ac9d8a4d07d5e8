/** The guard of resources: access tokens, checked with one query (RFC 6750; RFC 9728 for where to get one). */
import type { Request } from 'express';
import { optional, refuseOthers } from '../core/support/input.js';
import { provenOnceOf } from '../core/sessions/proven-requests.js';
import type { Clock } from '../core/support/clock.js';
import { agentsOf } from '../core/support/audit-records.js';
import type { AuditActor } from '../domain/audit.js';
import type { TokenActor } from '../domain/oauth-server.js';
import { toServiceUser } from '../domain/user.js';
import { InvalidRequestError } from '../errors/catalog.js';
import { noteRefusal, sendError, toServiceError } from '../http/error-handler.js';
import { inRequest } from '../http/acting-request.js';
import { runGuard, type Guard } from '../http/guard.js';
import type { Refusal, RefusalTools } from '../http/refused-requests.js';
import type { OAuthServerRepository } from '../storage/oauth-server-repository.js';
import { AccessTokenRefusal, refuse } from './challenges.js';
import { ProofRefusal, readProof, type Proof } from '../crypto/dpop-proof.js';
import type { RequestProofs } from './used-proofs.js';
import type { OAuthServerSettings } from './options.js';
import { knownResource } from './request-parameters.js';
import { accessDigest, type JwtTools } from './jwt-access-tokens.js';
import type { TokenData } from './records.js';
import type { AccessTokenInfo, ClientTokenInfo, RequireAccessTokenOptions } from './interface.js';

type AnyTokenInfo = AccessTokenInfo | ClientTokenInfo;

export { AccessTokenRefusal };

export interface AccessTools extends JwtTools, RefusalTools {
  proofs: RequestProofs;
  repository: OAuthServerRepository;
  settings: OAuthServerSettings;
}

/** Checks a token of a user. @throws AccessTokenRefusal */
export async function checkAccessToken(
  tools: AccessTools,
  token: string,
  resource: string,
): Promise<AccessTokenInfo> {
  return mustBeOfUser(await checkAnyToken(tools, { token, proof: null }, resource));
}

/** @throws AccessTokenRefusal for a token of a client itself. */
function mustBeOfUser(auth: AnyTokenInfo): AccessTokenInfo {
  if (isOfUser(auth)) return auth;
  throw new AccessTokenRefusal(
    403,
    'insufficient_scope',
    'The token is of no user: a user must sign in.',
    'access_token_of_client',
  );
}

const isOfUser = (auth: AnyTokenInfo): auth is AccessTokenInfo => auth.extra.user !== null;

/** @throws AccessTokenRefusal */
async function checkAnyToken(
  tools: AccessTools,
  presented: Presented,
  resource: string,
): Promise<AnyTokenInfo> {
  return checkFound(tools, presented, resource, await findToken(tools, presented, resource));
}

type FoundToken = Awaited<ReturnType<typeof findToken>>;

/** Returns the record of a valid token, whose key and scopes are not checked yet. @throws AccessTokenRefusal */
async function findToken(tools: AccessTools, { token }: Presented, resource: string) {
  const { clock, repository } = tools;
  const digest = await accessDigest(tools, token);
  const found = digest === null ? null : await repository.findAccess(digest, new Date(clock()));
  const data: TokenData = found?.token.data ?? {};
  if (!found || data.aud !== resource)
    throw new AccessTokenRefusal(
      401,
      'invalid_token',
      'The access token is not valid for this resource.',
      'access_token_invalid',
    );
  return { ...found, data };
}

/** @throws AccessTokenRefusal */
function checkFound(
  { settings }: AccessTools,
  { token, proof }: Presented,
  resource: string,
  { active, data, token: stored }: FoundToken,
): AnyTokenInfo {
  const known = settings.resources.get(resource);
  checkBinding(data.jkt, proof, settings.dpop);
  const granted = (data.scope ?? '').split(' ').filter(Boolean);
  // The user has allowed a sign-in only (`openid`): a guard that names no scopes must not let the client in.
  if (granted.length === 0 && Object.keys(known?.scopes ?? {}).length > 0) {
    const message = 'The token has no scope of this resource.';
    throw new AccessTokenRefusal(
      403,
      'insufficient_scope',
      message,
      'scope_missing',
      known?.defaultScopes.join(' '),
    );
  }
  const checked = {
    token,
    clientId: data.clientId ?? '',
    scopes: granted,
    expiresAt: Math.floor(stored.expiresAt.getTime() / 1000),
    resource: new URL(resource),
  };
  if (!active) return { ...checked, extra: { user: null, grantId: null } };
  const act = data.extra?.act;
  const extra = { user: toServiceUser(active.user), grantId: active.grant.id, ...(act && { act }) };
  return { ...checked, extra };
}

/** @throws AccessTokenRefusal */
function checkBinding(key: string | undefined, proof: Proof | null, dpop: OAuthServerSettings['dpop']): void {
  const refusal = (message: string) =>
    new AccessTokenRefusal(
      401,
      'invalid_token',
      message,
      key === undefined ? 'access_token_unbound' : 'access_token_bound',
    );
  if (key === undefined) {
    if (proof) throw refusal('The token is not bound to a key: send it as Bearer.');
    if (dpop === 'required') throw refusal('The token must be bound to a key.');
    return;
  }
  if (!proof) throw refusal('The token is bound to a key: send it as DPoP, with a proof.');
  if (proof.thumbprint !== key) throw refusal('The token is bound to another key.');
}

/** Where the metadata of a resource is (RFC 9728, 3.1). */
export function metadataPath(resource: string): string {
  const { pathname, search } = new URL(resource);
  return `/.well-known/oauth-protected-resource${pathname === '/' ? '' : pathname}${search}`;
}

export function metadataUrl(resource: string): string {
  return new URL(resource).origin + metadataPath(resource);
}

/** @throws InvalidRequestError for an option that is not one, and for an unknown resource or scope. */
export function accessGuard(tools: AccessTools, options: RequireAccessTokenOptions = {}): Guard {
  const { resources } = tools.settings;
  const [only] = resources.size === 1 ? resources.keys() : [];
  const { resource: named = only, scopes = [], allowClients = false, ...others } = optional(options);
  refuseOthers(others, 'is not an option of this guard');
  const resource = knownResource(tools.settings, named);
  const known = resources.get(resource)!;
  const unknown = scopes.filter((scope) => !Object.hasOwn(known.scopes, scope));
  if (unknown.length > 0) throw new InvalidRequestError(`The resource has no scope ${unknown.join(', ')}.`);
  const challenger = {
    defaultScopes: known.defaultScopes,
    dpop: tools.settings.dpop,
    metadataUrl: metadataUrl(resource),
  };
  const check = async (req: Request, owner: TokenOwner) => {
    const sent = presented(req, resource, tools.clock);
    const found = await findToken(tools, sent, resource);
    Object.assign(owner, { userId: found.active?.user.id, clientId: found.data.clientId });
    const any = checkFound(tools, sent, resource, found);
    const auth = allowClients === true ? any : mustBeOfUser(any);
    const missing = scopes.filter((scope) => !auth.scopes.includes(scope));
    if (missing.length > 0) {
      const all = [...new Set([...auth.scopes, ...scopes])].join(' ');
      throw new AccessTokenRefusal(
        403,
        'insufficient_scope',
        `The token lacks: ${missing.join(' ')}.`,
        'scope_missing',
        all,
      );
    }
    // Last, so that a request that is refused uses nothing up.
    if (sent.proof && !(await tools.proofs.use(req, sent.proof, sent.proof.thumbprint)))
      throw new AccessTokenRefusal(
        401,
        'invalid_dpop_proof',
        'The proof was used before.',
        'dpop_proof_invalid',
      );
    Object.assign(req, { auth });
    tools.actingRequests.identify(() => actorsOfToken(auth));
  };
  return (req, res, next) => {
    delete (req as { auth?: unknown }).auth;
    const owner: TokenOwner = {};
    inRequest(tools, req, () =>
      runGuard(res, next, check(req, owner), (error) => {
        const isProven = /^DPoP\b/i.test(req.headers.authorization ?? '');
        if (error instanceof AccessTokenRefusal) {
          const { code, reason, status } = error;
          // Requests without a valid token are ordinary traffic, as those without a session.
          noteRefusal({ code, reason, status, error, ...owner }, req, tools, 'debug');
          refuse(res, error, isProven, challenger);
        } else sendError(res, toServiceError(error, req, tools));
      }),
    );
  };
}

/** The user, and the client that acts for the user. A token that was exchanged names the agents. */
function actorsOfToken({ clientId, extra }: AnyTokenInfo): AuditActor[] {
  const { act, user } = extra as { act?: TokenActor | null; user: { id: string } | null };
  const agents = act ? agentsOf(act) : [{ type: 'agent' as const, id: clientId }];
  return user === null ? agents : [{ type: 'user', id: user.id }, ...agents];
}

/** Whose token a request has, for its record if it is refused. */
type TokenOwner = Pick<Refusal, 'userId' | 'clientId'>;

interface Presented {
  token: string;
  /** Of a request with `Authorization: DPoP`. */
  proof: Proof | null;
}

/** @throws AccessTokenRefusal. A token in the query or the body is not read (RFC 9700, 4.3.2). */
function presented(req: Request, resource: string, clock: Clock): Presented {
  const { authorization = '' } = req.headers;
  const [, scheme, token] = /^(Bearer|DPoP) +([\w.~+/-]+=*) *$/i.exec(authorization) ?? [];
  if (scheme === undefined || token === undefined) {
    if (!/^(Bearer|DPoP)\b/i.test(authorization))
      throw new AccessTokenRefusal(401, null, 'An access token is required.', 'access_token_missing');
    throw new AccessTokenRefusal(
      400,
      'invalid_request',
      'The header Authorization is malformed.',
      'access_token_malformed',
    );
  }
  if (/^Bearer$/i.test(scheme)) return { token, proof: null };
  try {
    const url = requestUrl(req, resource);
    const { since: now } = provenOnceOf(req, clock());
    return { token, proof: readProof({ header: req.headers['dpop'], method: req.method, url, token, now }) };
  } catch (error) {
    if (!(error instanceof ProofRefusal)) throw error;
    throw new AccessTokenRefusal(401, 'invalid_dpop_proof', error.message, 'dpop_proof_invalid');
  }
}

/** The origin is that of the resource: a request may name any host. */
function requestUrl({ originalUrl }: Request, resource: string): string {
  const { origin } = new URL(resource);
  if (originalUrl.startsWith('/')) return origin + originalUrl;
  return URL.canParse(originalUrl) ? origin + new URL(originalUrl).pathname : origin;
}
