/** Sign-in at an identity provider: the redirect to it, and the way back. */
import * as z from 'zod';
import { InvalidRequestError, OAuthError } from '../../errors/catalog.js';
import { internals } from '../../core/internals.js';
import type { RequestContext } from '../../core/sessions/request-context.js';
import type { SignInResult } from '../../core/sessions/sign-in-result.js';
import type { StartedRedirect } from '../../providers/oauth/authorization-flow.js';
import { toServiceError } from '../error-handler.js';
import { redirectEndpoint, type RedirectEndpoint, type Target } from '../endpoint.js';
import { rememberOfQuery, rememberQuery } from '../remember.js';
import { queryOf } from '../request-context.js';
import { redirectSignedIn, redirectUnfinished } from '../signed-in.js';
import { keepTransaction, takeTransaction } from '../transaction-cookie.js';

/** What the endpoints need from a provider. */
interface RedirectProvider {
  readonly redirectUri: string;
  startRedirect(appState?: string, options?: { remember?: boolean }): Promise<StartedRedirect>;
  finishRedirect(
    query: URLSearchParams,
    transaction: string | undefined,
    context: RequestContext,
  ): Promise<SignInResult & { appState?: string }>;
}

/** @throws ProviderNotConfiguredError, LicenseRequiredError */
type ProviderOf = (target: Target) => RedirectProvider;

const google: ProviderOf = ({ service }) => service.google;
const oauth: ProviderOf = ({ service, param }) => service.oauth(param('name'));

export const startGoogle = startEndpoint(google);
export const finishGoogle = callbackEndpoint(google);
export const startOAuth = startEndpoint(oauth);
export const finishOAuth = callbackEndpoint(oauth);

function startEndpoint(providerOf: ProviderOf): RedirectEndpoint {
  return redirectEndpoint({
    access: 'open',
    summary: 'Starts a sign-in: redirects to the identity provider',
    query: () => z.object({ state: z.string().optional(), ...rememberQuery() }),
    redirects: 'away',
    errors: ['invalid_request', 'oauth_error'],
    async handle({ service, req, res, param }) {
      const { state } = req.query;
      if (state !== undefined && typeof state !== 'string')
        throw new InvalidRequestError('state must be a string.');
      const provider = providerOf({ service, param });
      const started = await provider.startRedirect(state, rememberOfQuery(req));
      keepTransaction(service, req, res, provider, started);
      return started.url;
    },
  });
}

function callbackEndpoint(providerOf: ProviderOf): RedirectEndpoint {
  return redirectEndpoint({
    access: 'open',
    summary: 'Completes a sign-in: the identity provider redirects the browser here',
    query: () =>
      z.looseObject({
        state: z.string().optional(),
        code: z.string().optional(),
        error: z.string().optional(),
      }),
    redirects: 'back',
    setsSession: true,
    async handle(call) {
      const { service, req, res, context } = call;
      const provider = providerOf(call);
      const query = queryOf(req);
      const transaction = takeTransaction(service, req, res, provider, query);
      try {
        const result = await provider.finishRedirect(query, transaction, context);
        return redirectSignedIn(call, result, { appState: result.appState });
      } catch (error) {
        if (error instanceof OAuthError) {
          const refusal = toServiceError(error, req, service[internals]);
          return call.redirects.failure(refusal, { provider: call.param('name') || 'google' });
        }
        return redirectUnfinished(call, error, {});
      }
    },
  });
}

/**
 * The parameters of an authorization response. Others, such as a name or a token, must not be in a
 * URL.
 */
const responseParameters = new Set(['code', 'state', 'iss', 'error']);
/**
 * In characters. Encoding makes form fields up to six times as long, and servers limit URLs to
 * about this length.
 */
const maxQueryLength = 8_000;

/**
 * For `response_mode=form_post`. A POST from another site carries no SameSite=Lax cookie, so the
 * browser is redirected to the callback with a GET. Nothing is consumed, which is why there is no
 * origin check: the form comes from the provider's site.
 */
export const forwardOAuthForm = redirectEndpoint({
  name: 'oauth.callbackForm',
  access: 'open',
  summary: 'Redirects the form of a provider that uses `form_post` to the callback, with GET',
  redirects: 'back',
  async handle({ service, param, readForm }) {
    // The configured URL: the request could name any host.
    const { redirectUri } = oauth({ service, param });
    const fields = [...(await readForm())].filter(([name]) => responseParameters.has(name));
    const query = new URLSearchParams(fields).toString();
    if (query.length > maxQueryLength) throw new InvalidRequestError();
    const target = new URL(redirectUri);
    target.search = query;
    return target.href;
  },
});
