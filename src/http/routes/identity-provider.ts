/** GET /google/start, /google/callback, the same at /idp, and at /oauth/:name, where POST /oauth/:name/callback is there too. */
import type { Request, RequestHandler } from 'express';
import type { Service } from '../../engine/service.js';
import { InvalidRequestError } from '../../errors/catalog.js';
import { internals } from '../../kit/internals.js';
import type { RequestContext, SignInResult } from '../../kit/sign-in.js';
import type { StartedRedirect } from '../../providers/oauth/authorization-flow.js';
import type { RouteDescription } from '../endpoint.js';
import type { EndpointTools } from '../endpoint-tools.js';
import { toServiceError } from '../error-handler.js';
import { redirect } from '../redirects.js';
import { createFormReader } from '../request-body.js';
import { get, isPrefetch, queryOf, signInContext } from '../route.js';
import type { RouteTools } from '../route-tools.js';
import { giveSession } from '../signed-in.js';
import { keepTransaction, takeTransaction } from '../transaction-cookie.js';

/** What the routes need of a provider. */
interface RedirectProvider {
  readonly redirectUri: string;
  startRedirect(appState?: string): Promise<StartedRedirect>;
  finishRedirect(
    query: URLSearchParams,
    transaction: string | undefined,
    context: RequestContext,
  ): Promise<SignInResult & { appState?: string }>;
}

/** The provider that a request is about. @throws ProviderNotConfiguredError, LicenseRequiredError */
export type ProviderOf = (service: Service, req: Request) => RedirectProvider;

type Tools = Pick<RouteTools, 'service' | 'redirects'>;

/** The two routes below `path`, for each place that they are mounted at. */
export function describeIdentityProvider({ z }: EndpointTools, path: string): RouteDescription[] {
  return [
    {
      method: 'get',
      path: `${path}/start`,
      access: 'open',
      summary: 'Begins a sign-in at the identity provider; a page leads the browser here',
      query: z.object({ state: z.string().optional() }),
      redirects: 'away',
      errors: ['invalid_request', 'oauth_error'],
    },
    {
      method: 'get',
      path: `${path}/callback`,
      access: 'open',
      summary: 'Where the identity provider sends the browser back: signs in',
      query: z.looseObject({
        state: z.string().optional(),
        code: z.string().optional(),
        error: z.string().optional(),
      }),
      redirects: 'back',
      setsSession: true,
    },
  ];
}

/** Where a provider posts its answer: the browser goes on to the callback with it. */
export function describeIdentityProviderForm(path: string): RouteDescription {
  return {
    method: 'post',
    path: `${path}/callback`,
    name: 'oauth.callbackForm',
    access: 'open',
    summary:
      'The same for a provider that posts its answer as a form: on to the callback with GET, and nothing happens',
    redirects: 'back',
  };
}

/** What an answer consists of. The rest, such as a name or a token, belongs into no address. */
const answerFields = new Set(['code', 'state', 'iss', 'error']);
/** What a form holds is up to six times as long in an address, of which servers take about so much. */
const longestAnswer = 8_000;

export function startIdentityProvider({ service }: Tools, providerOf: ProviderOf): RequestHandler {
  return get(async (req, res) => {
    if (isPrefetch(req)) return void res.status(204).end();
    const { state } = req.query;
    if (state !== undefined && typeof state !== 'string')
      throw new InvalidRequestError('state must be a string.');
    const provider = providerOf(service, req);
    const started = await provider.startRedirect(state);
    keepTransaction(service, req, res, provider, started);
    redirect(res, started.url);
  });
}

export function identityProviderCallback(
  { service, redirects }: Tools,
  providerOf: ProviderOf,
): RequestHandler {
  return get(async (req, res) => {
    if (isPrefetch(req)) return void res.status(204).end();
    try {
      const provider = providerOf(service, req);
      const query = queryOf(req);
      const transaction = takeTransaction(service, req, res, provider, query);
      const result = await provider.finishRedirect(query, transaction, signInContext(service, req));
      giveSession(service, req, res, result);
      redirect(res, redirects.success(result.appState));
    } catch (error) {
      redirect(res, redirects.failure(toServiceError(error, req, service[internals].logger)));
    }
  });
}

/**
 * For `response_mode=form_post`. A POST from another site carries no cookie that is Lax, so the browser is asked to come again with
 * a GET. Nothing is consumed, which is why there is no origin check: the provider's page is another site.
 */
export function identityProviderForm({ service, redirects }: Tools, providerOf: ProviderOf): RequestHandler {
  const read = createFormReader();
  return get(async (req, res) => {
    try {
      // Where the browser has just been, as it sees the path: the configuration's, never the request's own word.
      const { redirectUri } = providerOf(service, req);
      const fields = [...(await read(req, res))].filter(([name]) => answerFields.has(name));
      const query = new URLSearchParams(fields).toString();
      if (query.length > longestAnswer) throw new InvalidRequestError();
      const target = new URL(redirectUri);
      target.search = query;
      redirect(res, target.href, 303);
    } catch (error) {
      redirect(res, redirects.failure(toServiceError(error, req, service[internals].logger)), 303);
    }
  });
}
