/** An OAuth 2.1 authorization server inside an Express application. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Request, RequestHandler, Response } from 'express';
import type { Service } from '../engine/service.js';
import { internals } from '../core/internals.js';
import type { LiveSession } from '../core/sessions/session-checks.js';
import { capability } from '../core/support/capability.js';
import {
  authorizationRequestLimits,
  clientFailureLimits,
  clientRegistrationLimits,
  devicePollLimits,
  deviceRequestLimits,
  type RateLimit,
} from '../core/limits/rate-limits.js';
import { ConfigError, InternalError, RateLimitError } from '../errors/catalog.js';
import { inRequest } from '../http/acting-request.js';
import { findSession } from '../http/authenticate.js';
import { checkService } from '../http/check-service.js';
import { noteRefusal } from '../http/error-handler.js';
import { redirect } from '../http/redirects.js';
import { isOfGuest } from '../http/guest-sessions.js';
import { queryOf, routeContext } from '../http/request-context.js';
import { sendJson } from '../http/respond.js';
import { mustVerifyBeforeConsent } from '../http/session-requirements.js';
import { loadExpress } from '../runtime/load.js';
import { accessGuard } from './access-tokens.js';
import type { AuthorizationParams } from './asked.js';
import { allowOrigins, formOf, preflight, readForm, withoutPrefetch } from './browser-requests.js';
import { oauthClients, registerDynamically, validated } from './clients.js';
import { connectedApps } from './connected-apps.js';
import { consentDesk } from './consent-desk.js';
import { deviceDesk } from './device-desk.js';
import { createEngine, defaultScopesParam, endpoints, type Engine } from './engine.js';
import type { OAuthServer, OAuthServerOptions } from './interface.js';
import { metadataDocuments } from './metadata-documents/metadata-documents.js';
import { knownScopesOf, parseOAuthServerOptions } from './options.js';
import { sendProtocolError } from './protocol-errors.js';
import { cleanQuery, knownResource } from './request-parameters.js';
import { metadataPaths, ofResource, sendMetadata } from './resource-metadata.js';
import { refusalOf, sendRefusal } from './refused-requests.js';
import { answerSilently } from './silent-requests.js';
import { recentSigningKeys } from './signing-keys.js';
import { RequestProofs } from './used-proofs.js';
import { accessTokenVerifier } from './verifier.js';

const mountedBelow = ({ baseUrl }: Request) =>
  `createOAuthServer: the router is mounted at ${baseUrl}, and its addresses are fixed: mount it at the root, with app.use(oauth.router)`;

/**
 * Returns an authorization server for the users of a service. Its pages are those of `createPages`, which must be mounted too.
 * @throws ConfigError if the first argument is not a service, if an option is unknown or has a wrong value, and at the second call for a
 * service; AdapterCapabilityError if the adapter does not store what it needs.
 */
export function createOAuthServer(service: Service, options: OAuthServerOptions): OAuthServer {
  checkService(service, 'createOAuthServer');
  const settings = parseOAuthServerOptions(options);
  const knownScopes = knownScopesOf(settings);
  const tools = service[internals];
  const { changes, clock, consents, keys, limiter, logger, pageTargets, storage } = tools;
  const repository = capability(storage, 'oauthServer');
  if (consents.desk) {
    const message = 'has been called for this service: a service has one OAuth server';
    throw new ConfigError([{ path: 'createOAuthServer(service, …)', message }]);
  }

  const signing = recentSigningKeys(repository, keys, clock);
  let current: { engine: Promise<Engine>; keys: ReturnType<typeof signing> } | undefined;
  /** The engine, with the recent keys of the storage. */
  function engine(): Promise<Engine> {
    const recent = signing();
    if (current?.keys === recent) return current.engine;
    const created = recent.then((signingKeys) =>
      createEngine(settings, signingKeys, {
        changes,
        clock,
        keys,
        signing,
        repository,
        documentOf: async (client) => (settings.metadataDocuments ? documents.metadataOf(client) : null),
        fetchKeys: (address) => documents.fetchKeys(address),
        knownScopes,
        consentUrl: (id) => `${settings.issuer}${pageOf('consent')}?request=${encodeURIComponent(id)}`,
        deviceUrl: () => settings.issuer + pageOf('device'),
        mayPoll: (digest) => isWithin(devicePollLimits(digest)),
        async userOf(req, res) {
          const session = await sessionOf(req, res);
          // An administrator who impersonates the user gets no code, not even after the user's own decision.
          return session && !session.claims.act ? session.user.id : null;
        },
        async answerSilently(req, res, params) {
          const session = await sessionOf(req, res);
          // The engine has checked them.
          const asked = params as AuthorizationParams;
          const isSignedIn = async () => (await sessionOf(req, res)) !== null;
          return answerSilently({ ...granting, isGuest, isSignedIn, mustVerify }, asked, session);
        },
        renderError: (req, res, refusal) => sendRefusal(req as Request, res as Response, refusal, refusals),
        async countFailure(req) {
          try {
            await limiter.consume(clientFailureLimits(routeContext(service, req as Request).ip));
            return null;
          } catch (error) {
            if (error instanceof RateLimitError) return error.retryAfterMs;
            // The request has failed already, and its answer is the right one.
            logger.error({ event: 'oauth_server', err: error }, 'a failed request could not be counted');
            return null;
          }
        },
        noteRefusal: (req, refusal) => noteRefusal(refusal, req as Request, tools),
        async isSelfRegistered(clientId) {
          return (await repository.findClient(clientId, new Date(clock())))?.kind !== 'registered';
        },
        async saveExchanged(save, exchanged) {
          const token = await changes.commit(save, () => [['oauth.token_exchanged', exchanged]]);
          logger.info({ event: 'oauth_token_exchanged', ...exchanged }, 'an agent has got a token of a user');
          return token;
        },
        onReuse({ grantId }) {
          logger.warn(
            { event: 'refresh_reuse', grantId },
            'a used refresh token came back; its grant is removed',
          );
        },
        onError: (error) => logger.error({ event: 'oauth_server', err: error }, 'the OAuth server failed'),
      }),
    );
    current = { engine: created, keys: recent };
    created.catch(() => (current = undefined));
    return created;
  }

  /** @throws ConfigError without the pages. */
  function pageOf(name: 'consent' | 'device'): string {
    const path = pageTargets[name];
    if (path !== undefined) return path;
    const message = 'needs the pages: app.use(createPages(service))';
    throw new ConfigError([{ path: 'createOAuthServer(service, …)', message }]);
  }

  async function isWithin(limits: readonly RateLimit[]): Promise<boolean> {
    try {
      await limiter.consume(limits);
      return true;
    } catch (error) {
      if (error instanceof RateLimitError) return false;
      throw error;
    }
  }

  const mustVerify = ({ user }: LiveSession) => mustVerifyBeforeConsent(service, user);
  const isGuest = (session: LiveSession) => isOfGuest(service, session);
  const sessionOf = async (req: IncomingMessage, res: ServerResponse) =>
    (await findSession(service, req as Request, res as Response))?.session ?? null;

  const granting = { changes, clock, engine, logger, repository, settings };
  const refusals = tools;
  const clientTools = { changes, clock, engine, knownScopes, repository };
  const documents = metadataDocuments({
    ...{ clock, limiter, logger, repository, refreshTtlMs: settings.refreshTtlMs },
    allow: settings.metadataDocuments?.allow,
    network: () => consents.network,
    validate: (metadata) => validated(clientTools, metadata),
  });
  const { actingRequests } = tools;
  const proofs = new RequestProofs(repository);
  const access = {
    ...{ actingRequests, changes, clock, issuer: settings.issuer, logger },
    ...{ proofs, repository, settings, signing },
  };
  consents.desk = consentDesk(granting);
  consents.devices = deviceDesk({ ...granting, keys, limiter });
  const clients = oauthClients(clientTools);
  consents.clients = clients;
  consents.apps = connectedApps({ changes, clock, logger, repository, settings });
  const { host: issuerHost, protocol: issuerProtocol } = new URL(settings.issuer);

  const passOn = async (req: Request, res: Response): Promise<void> => {
    const callback = (await engine()).callback();
    // The engine makes its addresses of these. The issuer counts: a request may name any host, and a cache may keep the answer.
    req.headers['x-forwarded-proto'] = issuerProtocol.slice(0, -1);
    req.headers['x-forwarded-host'] = issuerHost;
    const { pathname, search } = new URL(req.originalUrl, settings.issuer);
    req.originalUrl = req.url = pathname + search;
    await callback(req, res);
  };
  type Handle<Rest extends unknown[] = []> = (...args: [req: Request, res: Response, ...Rest]) => unknown;
  const json: Handle<[unknown]> = (req, res, error) => sendProtocolError(req, res, error, tools);
  const page: Handle<[unknown]> = (req, res, error) =>
    sendRefusal(req, res, refusalOf(error, req, refusals), refusals);
  const served =
    (handle: Handle, refuse = json): RequestHandler =>
    (req, res) => {
      Promise.resolve()
        .then(() => {
          if (req.baseUrl !== '') throw new InternalError(undefined, mountedBelow(req));
          return handle(req, res);
        })
        .catch((error: unknown) => (res.headersSent ? undefined : refuse(req, res, error)));
    };

  const { json: jsonBody, Router: createRouter } = loadExpress();
  const parseJson = jsonBody({ limit: '20kb' });
  /** The application's own error handler must not answer for a body that is not JSON. */
  const readRegistration: RequestHandler = (req, res, next) => {
    parseJson(req, res, (error?: unknown) => {
      if (error === undefined) return next();
      const code = 'invalid_client_metadata';
      res.setHeader('Cache-Control', 'no-store');
      allowOrigins(res);
      sendJson(res, { error: code, error_description: 'The body must be JSON of at most 20 kB.' }, 400);
    });
  };
  const router = createRouter();
  router.use((req, _res, next) => inRequest(tools, req, next));
  router.use((req, _res, next) => {
    if (req.baseUrl !== '' && !tools.reported.has('oauth_mount')) {
      tools.reported.add('oauth_mount');
      logger.error({ event: 'oauth_server', mountedAt: req.baseUrl }, mountedBelow(req));
    }
    next();
  });
  router.options(
    metadataPaths,
    ofResource(settings, () => preflight('GET')),
  );
  router.get(
    metadataPaths,
    ofResource(settings, (resource) => {
      const send = sendMetadata(settings, resource);
      return (req, res, next) => served(() => send(req, res, next))(req, res, next);
    }),
  );
  if (settings.registration) router.options(endpoints.registration, preflight('POST'));
  if (settings.registration)
    router.post(
      endpoints.registration,
      readRegistration,
      served(async (req, res) => {
        res.setHeader('Cache-Control', 'no-store');
        allowOrigins(res);
        await limiter.consume(clientRegistrationLimits(routeContext(service, req).ip));
        try {
          sendJson(res, await registerDynamically(clientTools, req.body), 201);
        } catch (error) {
          const { error: code, error_description: detail } = error as Record<string, string | undefined>;
          if (code === undefined) throw error;
          sendJson(res, { error: code, error_description: detail }, 400);
        }
      }),
    );
  // Not a parameter: Express would answer for one that it cannot decode, with a stack outside production.
  const resumption = new RegExp(`^${endpoints.authorization}/[\\w-]+$`, 'i');
  router.get([endpoints.authorization, resumption], withoutPrefetch);
  // A form becomes an address (OpenID Connect Core, 3.1.2.1), with which the cookies of this site arrive.
  router.post(
    endpoints.authorization,
    readForm(page),
    served((req, res) => redirect(res, `${endpoints.authorization}?${formOf(req).toString()}`, 303), page),
  );
  router.get(
    endpoints.authorization,
    served(async (req, res) => {
      const { ip } = routeContext(service, req);
      await limiter.consume(authorizationRequestLimits(ip));
      const clientId = queryOf(req).get('client_id') ?? '';
      if (settings.metadataDocuments) await documents.prepare(clientId, ip);
      const url = await withDefaultScope(new URL(req.originalUrl, settings.issuer));
      req.originalUrl = url.pathname + url.search;
      return passOn(req, res);
    }, page),
  );
  router.post(
    endpoints.device_authorization,
    served(async (req, res) => {
      await limiter.consume(deviceRequestLimits(routeContext(service, req).ip));
      return passOn(req, res);
    }),
  );
  const paths = [
    '/.well-known/oauth-authorization-server',
    '/.well-known/openid-configuration',
    resumption,
    ...Object.values(endpoints),
  ];
  router.all(paths, served(passOn));

  async function withDefaultScope(url: URL): Promise<URL> {
    const params = cleanQuery(settings, url.searchParams);
    params.delete(defaultScopesParam);
    await addDefaultScope(params);
    const changed = new URL(url);
    changed.search = params.toString();
    return changed;
  }

  /** A request without scopes, which RFC 6749, 3.3, allows, asks for those of its resources, or of the first one. */
  async function addDefaultScope(params: URLSearchParams): Promise<void> {
    if (params.has('scope')) return;
    if (!params.has('resource')) params.set('resource', first);
    const client = await (await engine()).Client.find(params.get('client_id') ?? '');
    const may = client?.scope?.split(' ');
    const asked = params.getAll('resource');
    const all = asked.flatMap((each) => settings.resources.get(each)?.defaultScopes ?? []);
    const scopes = may ? all.filter((scope) => may.includes(scope)) : all;
    if (scopes.length === 0) return;
    params.set('scope', [...new Set(scopes)].join(' '));
    params.set(defaultScopesParam, '1');
  }

  const [first = ''] = settings.resources.keys();
  return {
    router,
    requireAccessToken: (guardOptions) => accessGuard(access, guardOptions),
    verifier: accessTokenVerifier(access, first),
    verifierFor: (resource) => accessTokenVerifier(access, knownResource(settings, resource)),
    clients,
    connectedApps: consents.apps,
  };
}
