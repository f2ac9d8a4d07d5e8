/** An OAuth 2.1 authorization server inside an Express application. */
import type { Request, RequestHandler, Response } from 'express';
import type { Service } from '../engine/service.js';
import { internals } from '../core/internals.js';
import { capability } from '../core/support/capability.js';
import { authorizationRequestLimits, clientRegistrationLimits } from '../core/limits/rate-limits.js';
import { ConfigError } from '../errors/catalog.js';
import { findSession } from '../http/authenticate.js';
import { checkService } from '../http/check-service.js';
import { sendError, toServiceError } from '../http/error-handler.js';
import { routeContext } from '../http/request-context.js';
import { sendJson } from '../http/respond.js';
import { loadExpress } from '../runtime/load.js';
import { accessGuard, checkAccessToken, metadataPath } from './access-tokens.js';
import { oauthClients, registerDynamically } from './clients.js';
import { consentDesk } from './consent-desk.js';
import { createEngine, endpoints, type Engine } from './engine.js';
import type { OAuthServer, OAuthServerOptions } from './interface.js';
import { signatureAlgorithms } from './jws.js';
import { knownScopesOf, parseOAuthServerOptions } from './options.js';
import { recentSigningKeys } from './signing-keys.js';

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
  const { clock, consents, events, keys, limiter, logger, pageTargets, storage } = tools;
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
        clock,
        keys,
        signing,
        repository,
        knownScopes,
        consentUrl: (id) => `${settings.issuer}${consentPath()}?request=${encodeURIComponent(id)}`,
        async userOf(req, res) {
          const session = (await findSession(service, req as Request, res as Response))?.session;
          // An administrator who impersonates the user gets no code, not even after the user's own decision.
          return session && !session.claims.act ? session.user.id : null;
        },
        async renderError(req, res, code) {
          const page = await pageTargets.refusedRequest?.(req, res, code);
          res.setHeader('Content-Type', page ? 'text/html; charset=utf-8' : 'text/plain; charset=utf-8');
          res.end(page?.text ?? `The request was refused: ${code}.`);
        },
        onExchange(exchanged) {
          const { userId, clientId, act, resource, scopes } = exchanged;
          logger.info({ event: 'oauth_token_exchanged', ...exchanged }, 'an agent has got a token of a user');
          events.emit('oauth.token_exchanged', { userId, clientId, act, resource, scopes });
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

  function consentPath(): string {
    if (pageTargets.consent !== undefined) return pageTargets.consent;
    const message = 'needs the pages: app.use(createPages(service))';
    throw new ConfigError([{ path: 'createOAuthServer(service, …)', message }]);
  }

  const clientTools = { clock, engine, knownScopes, repository };
  const access = { clock, issuer: settings.issuer, logger, repository, settings, signing };
  consents.desk = consentDesk({ clock, engine, repository, settings, describe: () => undefined });
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
  const served =
    (handle: (req: Request, res: Response) => Promise<void> | void): RequestHandler =>
    (req, res) => {
      Promise.resolve()
        .then(() => handle(req, res))
        .catch((error: unknown) => {
          if (!res.headersSent) sendError(res, toServiceError(error, req, logger));
        });
    };

  const { json, Router: createRouter } = loadExpress();
  const parseJson = json({ limit: '20kb' });
  /** The application's own error handler must not answer for a body that is not JSON. */
  const readRegistration: RequestHandler = (req, res, next) => {
    parseJson(req, res, (error?: unknown) => {
      if (error === undefined) return next();
      const code = 'invalid_client_metadata';
      res.setHeader('Cache-Control', 'no-store');
      res.setHeader('Access-Control-Allow-Origin', '*');
      sendJson(res, { error: code, error_description: 'The body must be JSON of at most 20 kB.' }, 400);
    });
  };
  const router = createRouter();
  for (const [resource, { scopes }] of settings.resources) {
    if (new URL(resource).origin !== settings.issuer) continue;
    router.get(
      metadataPath(resource),
      served((_req, res) => {
        res.setHeader('Access-Control-Allow-Origin', '*');
        sendJson(res, {
          resource,
          authorization_servers: [settings.issuer],
          scopes_supported: Object.keys(scopes),
          bearer_methods_supported: ['header'],
          dpop_signing_alg_values_supported: signatureAlgorithms,
          ...(settings.dpop === 'required' && { dpop_bound_access_tokens_required: true }),
        });
      }),
    );
  }
  if (settings.registration)
    router.post(
      endpoints.registration,
      readRegistration,
      served(async (req, res) => {
        res.setHeader('Cache-Control', 'no-store');
        res.setHeader('Access-Control-Allow-Origin', '*');
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
  router.get(
    endpoints.authorization,
    served(async (req, res) => {
      await limiter.consume(authorizationRequestLimits(routeContext(service, req).ip));
      const url = await withDefaultScope(new URL(req.originalUrl, settings.issuer));
      req.originalUrl = url.pathname + url.search;
      return passOn(req, res);
    }),
  );
  const paths = [
    '/.well-known/oauth-authorization-server',
    '/.well-known/openid-configuration',
    // Not a parameter: Express would answer for one that it cannot decode, with a stack outside production.
    new RegExp(`^${endpoints.authorization}/[\\w-]+$`, 'i'),
    ...Object.values(endpoints),
  ];
  router.all(paths, served(passOn));

  /** A request without scopes, which RFC 6749, 3.3, allows, asks for those of its resources. */
  async function withDefaultScope(url: URL): Promise<URL> {
    if (url.searchParams.has('scope')) return url;
    const client = await (await engine()).Client.find(url.searchParams.get('client_id') ?? '');
    const may = client?.scope?.split(' ');
    const asked = url.searchParams.getAll('resource');
    const resources = asked.length > 0 ? asked : [...settings.resources.keys()].slice(0, 1);
    const scopes = resources.flatMap((each) => settings.resources.get(each)?.defaultScopes ?? []);
    const allowed = may ? scopes.filter((scope) => may.includes(scope)) : scopes;
    if (allowed.length > 0) url.searchParams.set('scope', [...new Set(allowed)].join(' '));
    return url;
  }

  const [first = ''] = settings.resources.keys();
  return {
    router,
    requireAccessToken: (guardOptions) => accessGuard(access, guardOptions),
    verifier: { verifyAccessToken: (token) => checkAccessToken(access, token, first) },
    clients: oauthClients(clientTools),
  };
}
