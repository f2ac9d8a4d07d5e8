/**
 * The protocol: endpoints, parameters, formats and errors, by the package `oidc-provider`. This file configures it, and no other knows it.
 * What it may decide alone is what the RFCs say. Who the user is, what a grant still allows, and what happens once, is decided here.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ClientMetadata, Configuration, KoaContextWithOIDC, Provider } from 'oidc-provider';
import { mac } from '../crypto/digest.js';
import type { ActiveGrant } from '../storage/oauth-server-repository.js';
import { loadOAuthServerPackage } from '../runtime/load-oauth-server.js';
import { isOriginOf } from './browser-requests.js';
import { clientCredentials } from './client-credentials.js';
import { tokenExchangeGrant } from './client-grants.js';
import { isOneOf } from './client-secrets.js';
import { endpoints } from './endpoints.js';
import { guarded, limitFailures, renderError, type ErrorTools, type Respond } from './engine-errors.js';
import { noResource, type OAuthServerSettings } from './options.js';
import { recordStores, type RecordTools, type TokenExtra } from './records.js';
import { signatureAlgorithms } from '../crypto/jws.js';
import type { JwtTools } from './jwt-access-tokens.js';
import { storeJwt } from './jwt-records.js';
import { checkBeforeUse } from './redemption.js';
import { cleanBodies } from './request-parameters.js';
import { exchange } from './refresh-exchange.js';
import { openRefreshToken } from './refresh-tokens.js';
import type { SilentAnswer } from './silent-answer.js';
import type { SigningKey } from './signing-keys.js';
import { exchangeParameters, extraOf, tokenExchange, type ExchangeTools } from './token-exchange.js';
import { resourceServerOf } from './token-requests.js';
import { answerForToken } from './token-status.js';
import { userCodeCharset, userCodeMask } from './user-codes.js';

/** A parameter that only this server adds: the request has named no scopes. */
export const defaultScopesParam = 'svc_default_scopes';

/** How long an authorization request waits for its user. */
export const requestTtlMs = 60 * 60_000;

/** How long a device waits for its user. */
const deviceCodeTtlMs = 10 * 60_000;

const maxAssertionMs = 60 * 60_000;

export interface EngineTools extends ErrorTools, RecordTools {
  /** Returns the id of the user of the browser's session, or null. */
  userOf(req: IncomingMessage, res: ServerResponse): Promise<string | null>;
  /** Answers a request that may show no page. */
  answerSilently(
    req: IncomingMessage,
    res: ServerResponse,
    params: Readonly<Record<string, unknown>>,
  ): Promise<SilentAnswer>;
  /** The page on which users decide. */
  consentUrl(id: string): string;
  signing: JwtTools['signing'];
  /** The page on which users enter the code of a device. */
  deviceUrl: () => string;
  /** Fetches the public keys of a client. */
  fetchKeys: (address: string) => Promise<Response>;
  saveExchanged: ExchangeTools['saveExchanged'];
  onReuse: (about: { grantId: string }) => void;
  onError: (error: unknown) => void;
}

type Engine = Provider;

export async function createEngine(
  settings: OAuthServerSettings,
  keys: readonly SigningKey[],
  tools: EngineTools,
): Promise<Engine> {
  const { Provider: ProtocolEngine, errors, interactionPolicy } = await loadOAuthServerPackage();
  const refuse = {
    used: (): never => {
      throw new errors.InvalidGrant('it was used before');
    },
    over: (): never => {
      throw new errors.SessionNotFound('interaction session not found');
    },
    tooSoon: (): never => {
      throw new errors.SlowDown();
    },
  };
  const { Check, Prompt } = interactionPolicy;
  /** The engine leaves out what it does not know: nothing would be left to decide. */
  const refuseUnknownScopes = ({ requestParamScopes, resourceServers = {} }: KoaContextWithOIDC['oidc']) => {
    const known = new Set([...noResource, ...Object.values(resourceServers).flatMap(scopesIn)]);
    const asked = [...requestParamScopes];
    if (!asked.some((scope) => known.has(scope)))
      throw new errors.InvalidScope('unknown scope', asked.join(' '));
  };
  const silentErrors = {
    login_required: errors.LoginRequired,
    consent_required: errors.ConsentRequired,
    interaction_required: errors.InteractionRequired,
  };
  /** Decides a request that may show no page, as the page would have done: the engine continues as after a decision. */
  const decideSilently = async ({ oidc, req, res }: KoaContextWithOIDC) => {
    // The engine adds `login` for max_age=0, and refuses it.
    if (oidc.route !== 'authorization' || [...oidc.prompts].join() !== 'none') return;
    refuseUnknownScopes(oidc);
    const answer = await tools.answerSilently(req, res, { ...oidc.params });
    if (answer.error !== undefined) throw new silentErrors[answer.error](answer.detail);
    const login = { accountId: answer.userId, loginTs: Math.floor(answer.signedInAt.getTime() / 1000) };
    oidc.session?.loginAccount({ ...login, transient: true });
    Object.assign(oidc, { result: { consent: { grantId: answer.grantId } } });
  };
  // Every request that may show a page passes the one of the consent, which knows the session of the application. Afterwards the session must be the same.
  const isOther = async ({ oidc, req, res }: KoaContextWithOIDC) => {
    refuseUnknownScopes(oidc);
    return !oidc.result?.consent || (await tools.userOf(req, res)) !== oidc.session?.accountId;
  };
  const decided = new Check('undecided', 'the user has not decided', 'interaction_required', isOther);
  const policy = [
    new Prompt({ name: 'login', requestable: true }),
    new Prompt({ name: 'consent', requestable: true }, decided),
  ];
  const { issuer } = settings;
  const isSecure = issuer.startsWith('https:');
  const cookie = {
    httpOnly: true,
    sameSite: 'lax',
    secure: isSecure,
    signed: true,
    overwrite: true,
  } as const;
  const stores = recordStores(tools, refuse);
  const configuration: Configuration = {
    adapter: stores,
    jwks: { keys: [...keys] },
    routes: endpoints,
    responseTypes: ['code'],
    scopes: [...tools.knownScopes],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'picture'] },
    clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt'],
    // What was used is remembered until it expires: it must not stay for years.
    async assertJwtClientAuthClaimsAndHeader(_ctx, { exp }) {
      if (Number(exp) * 1000 > tools.clock() + maxAssertionMs)
        throw new errors.InvalidClientAuth('the client_assertion JWT must expire within an hour');
    },
    clientDefaults: {
      dpop_bound_access_tokens: settings.dpop === 'required',
      grant_types: ['authorization_code', 'refresh_token'],
      id_token_signed_response_alg: 'ES256',
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
    enabledJWA: {
      dPoPSigningAlgValues: signatureAlgorithms,
      idTokenSigningAlgValues: ['ES256'],
      userinfoSigningAlgValues: ['ES256'],
    },
    cookies: {
      keys: tools.keys.subkeys('oauth_server').map((key) => mac(key, 'cookies').toString('hex')),
      names: {
        interaction: 'svc_authorize',
        resume: 'svc_authorize_return',
        session: 'svc_authorize_session',
      },
      long: cookie,
      short: cookie,
    },
    clientBasedCORS: (_ctx, origin, client) =>
      client.clientAuthMethod === 'none' && isOriginOf(origin, client.redirectUris ?? []),
    // Checked after all others, and before the engine asks who is signed in.
    extraParams: { [defaultScopesParam]: decideSilently },
    pkce: { required: () => true },
    // Ours exchanges it: of parallel calls every one gets the same successor.
    rotateRefreshToken: false,
    issueRefreshToken: (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    expiresWithSession: () => false,
    fetch: (address) => tools.fetchKeys(address instanceof Request ? address.url : String(address)),
    extraTokenClaims: (_ctx, token) => extraOf(token),
    formats: { customizers: { jwt: (_ctx, token, parts) => storeJwt(stores, tools.clock, token, parts) } },
    ttl: {
      AccessToken: settings.accessTtlMs / 1000,
      AuthorizationCode: 60,
      ClientCredentials: settings.accessTtlMs / 1000,
      DeviceCode: deviceCodeTtlMs / 1000,
      Grant: settings.refreshTtlMs / 1000,
      IdToken: 3600,
      Interaction: requestTtlMs / 1000,
      RefreshToken: settings.refreshTtlMs / 1000,
      Session: 3600,
    },
    features: {
      devInteractions: { enabled: false },
      // Its pages are never reached: the router does not pass their paths on.
      deviceFlow: { enabled: true, charset: userCodeCharset, mask: userCodeMask, deviceInfo: () => ({}) },
      dPoP: { enabled: true },
      // Its endpoint, which the metadata would name, is not served.
      pushedAuthorizationRequests: { enabled: false },
      introspection: {
        enabled: true,
        allowedPolicy: async (ctx, client, token) =>
          isOwn(ctx, client, token) && !isUnproved(client, token) && !(await isSuperseded(token, tools)),
      },
      registration: { enabled: settings.registration },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => (settings.resources.size === 1 ? [...settings.resources.keys()][0]! : []),
        // The token of a sign-in alone is for the user information, which refuses one for a resource.
        useGrantedResource: (_ctx, { scopes }) => [...scopes].some((scope) => !noResource.includes(scope)),
        getResourceServerInfo(_ctx, resource) {
          const known = resourceServerOf(settings, resource);
          if (!known) throw new errors.InvalidTarget();
          return known;
        },
      },
      revocation: {
        enabled: true,
        allowedPolicy: (ctx, client, token) => isOwn(ctx, client, token) && !isOfAgent(token),
      },
      rpInitiatedLogout: { enabled: false },
      userinfo: { enabled: true },
    },
    async findAccount({ oidc }, id, token) {
      // What the guard refuses gives no user information either, such as a token from before keys were required.
      if (oidc.route === 'userinfo' && settings.dpop === 'required' && !isBound(token)) return undefined;
      const active = await activeGrantOf(token, tools);
      if (token && !active) return undefined;
      const user = active?.user ?? null;
      return { accountId: id, claims: () => claimsOf(id, user) };
    },
    loadExistingGrant: async ({ oidc }) => {
      const id = oidc.result?.consent?.grantId;
      return id === undefined ? undefined : oidc.provider.Grant.find(id);
    },
    interactions: { policy: policyOf(policy), url: (_ctx, { uid }) => tools.consentUrl(uid) },
    renderError: (ctx, answer) => renderError(tools, ctx, answer),
  };
  /** Its page for `form_post` has a script within, which a policy of the application can forbid, and is in English. */
  class EngineWithoutForms extends ProtocolEngine {
    override registerResponseMode(name: string, handler: Respond): void {
      if (name !== 'form_post') super.registerResponseMode(name, guarded(tools, handler));
    }
  }
  const engine = new EngineWithoutForms(settings.issuer, configuration);
  const grantTools = { ...tools, engine, errors, issuer, settings };
  registerOwnGrants(grantTools);
  cleanBodies(engine, settings);
  checkBeforeUse(grantTools, () => ProtocolEngine.ctx);
  // Only for the protocol and the host, which the issuer says and the router sets.
  engine.proxy = true;
  engine.use(async (ctx, next) => {
    // Programs get errors as JSON, whatever they say that they read.
    if (!ctx.path.startsWith(endpoints.authorization)) ctx.req.headers.accept = 'application/json';
    await next();
    const { oidc } = ctx as Partial<KoaContextWithOIDC>;
    withoutSessionCookie(ctx as KoaContextWithOIDC);
    if (oidc?.route === 'discovery') Object.assign(ctx.body as object, supportedBy(settings));
    if (oidc?.route === 'device_authorization') await answerDevice(ctx as KoaContextWithOIDC, tools);
    await answerForToken(ctx as KoaContextWithOIDC, { ...tools, issuer });
    try {
      if (oidc?.route === 'token') {
        await exchange(ctx as KoaContextWithOIDC, settings, tools);
        await markFirstUse(ctx as KoaContextWithOIDC, tools);
      }
    } catch (error) {
      tools.onError(error);
      ctx.status = 500;
      ctx.body = { error: 'server_error', error_description: 'The token could not be exchanged.' };
    }
    await limitFailures(tools, ctx as KoaContextWithOIDC);
  });
  engine.on('server_error', (_ctx, error) => tools.onError(error));
  // Without a listener, Koa writes errors to the terminal, with their stacks. A client that has hung up is not a failure.
  (engine as NodeJS.EventEmitter).on('error', (error: Error & { expose?: boolean; headerSent?: boolean }) => {
    if (error.expose !== true && error.headerSent !== true) tools.onError(error);
  });
  const { prototype } = engine.Client as unknown as { prototype: SecretComparison };
  prototype.compareClientSecret = function (actual) {
    return isOneOf(this.clientSecret ?? '', actual);
  };
  return engine;
}

interface DeviceResponse {
  user_code?: string;
}

/** Leads to our own page, and refuses what it could not show. */
async function answerDevice(ctx: KoaContextWithOIDC, { deviceUrl }: EngineTools): Promise<void> {
  const { user_code: code } = ctx.body as DeviceResponse;
  if (code === undefined) return;
  const { entities, requestParamScopes, resourceServers = {} } = ctx.oidc;
  const known = new Set([...noResource, ...Object.values(resourceServers).flatMap(scopesIn)]);
  const asked = [...requestParamScopes];
  if (asked.length > 0 && !asked.some((scope) => known.has(scope))) {
    await entities.DeviceCode?.destroy();
    ctx.status = 400;
    ctx.body = { error: 'invalid_scope', error_description: 'unknown scope', scope: asked.join(' ') };
    return;
  }
  Object.assign(ctx.body as object, {
    verification_uri: deviceUrl(),
    verification_uri_complete: `${deviceUrl()}?code=${code}`,
    interval: 5,
  });
}

/** A client may ask about its own tokens, and end them. */
const isOwn = (_ctx: unknown, { clientId }: { clientId: string }, token: { clientId?: string }) =>
  token.clientId === clientId;

const isBound = (token: unknown) => (token as { jkt?: string } | undefined)?.jkt !== undefined;

/** An agent ends its own token alone, not the grant of the user's client. */
const isOfAgent = (token: object) => (token as { extra?: TokenExtra }).extra?.act !== undefined;

/**
 * Whether a client that proves nothing asks about a refresh token, which anyone who has stolen it can do. The answer would show when the
 * token was exchanged: a thief could follow within the grace period each time, and no reuse would be noticed.
 */
function isUnproved({ clientAuthMethod }: { clientAuthMethod?: string }, token: object): boolean {
  return clientAuthMethod === 'none' && (token as { kind?: string }).kind === 'RefreshToken';
}

const supportedBy = ({ metadataDocuments }: OAuthServerSettings) => ({
  response_modes_supported: ['query', 'fragment'],
  client_id_metadata_document_supported: metadataDocuments !== null,
});

/** Our grants: the engine has none of them, or has no default for a request without scopes. */
function registerOwnGrants(tools: ExchangeTools): void {
  const { engine } = tools;
  engine.registerGrantType('client_credentials', clientCredentials(tools), ['scope', 'resource'], 'resource');
  engine.registerGrantType(tokenExchangeGrant, tokenExchange(tools), exchangeParameters, [
    'resource',
    'audience',
  ]);
}

const scopesIn = ({ scope = '' }: { scope?: string }) => scope.split(' ');

interface SecretComparison {
  compareClientSecret: (this: { clientSecret?: string }, actual: string) => boolean;
}

/** The engine reads its policy as a list that finds prompts by their names. */
function policyOf<Policy extends { name: string }>(prompts: Policy[]) {
  return Object.assign(prompts, {
    get: (name: string) => prompts.find((prompt) => prompt.name === name),
  }) as never;
}

/** Whether a refresh token has been exchanged: it is no longer active, although it still leads to its successor for a moment. */
async function isSuperseded(token: unknown, { clock, keys, repository }: RecordTools): Promise<boolean> {
  const { kind, jti } = token as { kind?: string; jti?: string };
  const opened = kind === 'RefreshToken' ? openRefreshToken(keys, jti ?? '') : null;
  const active = opened && (await repository.findGrant(opened.grantId, new Date(clock())));
  return active !== null && active.grant.counter !== opened?.counter;
}

async function activeGrantOf(
  token: unknown,
  { clock, repository }: RecordTools,
): Promise<ActiveGrant | null> {
  const { grantId } = (token ?? {}) as { grantId?: string };
  return grantId === undefined ? null : repository.findGrant(grantId, new Date(clock()));
}

function claimsOf(id: string, user: ActiveGrant['user'] | null) {
  const text = (value: unknown) => (typeof value === 'string' ? value : undefined);
  return {
    sub: id,
    ...(user && {
      email: user.email ?? undefined,
      email_verified: user.email === null ? undefined : user.emailVerified,
      name: text(user.metadata['name']),
      picture: text(user.metadata['picture']),
    }),
  };
}

function withoutSessionCookie({ response }: KoaContextWithOIDC): void {
  const cookies = response.headers['set-cookie'];
  if (!Array.isArray(cookies)) return;
  const others = cookies.filter((each) => !each.startsWith('svc_authorize_session'));
  if (others.length > 0) response.set('Set-Cookie', others);
  else response.remove('Set-Cookie');
}

/** The exchange of a refresh token stores the time itself. A failure must not cost the client its tokens. */
async function markFirstUse(ctx: KoaContextWithOIDC, { clock, onError, repository }: EngineTools) {
  const { entities, params } = ctx.oidc;
  const grantId = entities.Grant?.jti;
  if (ctx.status !== 200 || grantId === undefined || params?.['grant_type'] === 'refresh_token') return;
  await repository.markGrantUsed(grantId, new Date(clock())).catch(onError);
}

export { endpoints };
export type { ClientMetadata, Engine };
