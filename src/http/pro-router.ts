/** The routes of the Pro tier, beside those of `createAuthRouter`. */
import type { Router } from 'express';
import type { Service } from '../engine/service.js';
import { checkMilliseconds, optional, refuseOthers } from '../kit/input.js';
import { usualFreshMs } from '../kit/sessions.js';
import { loadExpress } from '../runtime/load.js';
import { checkService } from './check-service.js';
import { mount, type Endpoint, type RouteDescription } from './endpoint.js';
import { createEndpointTools, type EndpointTools } from './endpoint-tools.js';
import { errorHandler } from './error-handler.js';
import { passOptions } from './pass-options.js';
import { createRedirects, type RedirectOptions } from './redirects.js';
import { createBodyReader } from './request-body.js';
import {
  describeIdentityProvider,
  describeIdentityProviderForm,
  identityProviderCallback,
  identityProviderForm,
  startIdentityProvider,
  type ProviderOf,
} from './routes/identity-provider.js';
import { preview } from './routes/magic-link.js';
import { apiKeyEndpoints } from './routes/pro/api-keys.js';
import { guestEndpoints } from './routes/pro/guest.js';
import { identityEndpoints } from './routes/pro/identities.js';
import { accountEndpoints } from './routes/pro/account.js';
import { deviceEndpoints } from './routes/pro/devices.js';
import { guestUpgradeEndpoints } from './routes/pro/guest-upgrades.js';
import { mfaEndpoints } from './routes/pro/mfa.js';
import { orgApiKeyEndpoints } from './routes/pro/org-api-keys.js';
import { orgMemberEndpoints } from './routes/pro/org-members.js';
import { orgInviteEndpoints } from './routes/pro/org-invites.js';
import { orgEndpoints } from './routes/pro/orgs.js';
import { passkeyEndpoints } from './routes/pro/passkeys.js';
import { phoneEndpoints } from './routes/pro/phone.js';
import { tokenEndpoints } from './routes/pro/token.js';
import { totpEndpoints } from './routes/pro/totp.js';

export interface ProRouterOptions extends RedirectOptions {
  /** How long a sign-in counts as fresh, for what a forgotten session must not change. Milliseconds; default 600000. */
  freshMs?: number;
}

const namedProvider: ProviderOf = (service, req) => service.oauth(String(req.params['name']));

/** Every JSON endpoint of the Pro tier, as `docs/http-api.md` lists them. */
export function proEndpoints(tools: EndpointTools): Endpoint[] {
  const { service } = tools;
  return [
    ...mfaEndpoints(tools),
    ...needing(() => service.totp, totpEndpoints(tools)),
    ...needing(() => service.webauthn, passkeyEndpoints(tools)),
    ...needing(() => service.sessionsProvider, deviceEndpoints(tools)),
    ...needing(() => service.identities, identityEndpoints(tools)),
    ...needing(() => service.phoneOtp, phoneEndpoints(tools)),
    ...needing(() => service.refresh, tokenEndpoints(tools)),
    ...needing(() => service.sessionsProvider, guestEndpoints(tools)),
    ...needing(() => service.apiKeys, apiKeyEndpoints(tools)),
    ...needing(
      () => service.orgs,
      [...orgEndpoints(tools), ...orgInviteEndpoints(tools), ...orgMemberEndpoints(tools)],
    ),
    ...needing(() => [service.orgs, service.apiKeys], orgApiKeyEndpoints(tools)),
    ...needing(() => service.account, accountEndpoints(tools)),
    ...needing(() => service.sessionsProvider, guestUpgradeEndpoints(tools)),
  ];
}

/** What an endpoint says itself is more exact: which of several methods it is for. */
function needing(needs: () => unknown, endpoints: readonly Endpoint[]): Endpoint[] {
  return endpoints.map((each) => ({ needs, ...each }));
}

/** All of them, with those that have handlers of their own, for the OpenAPI document. */
export function proRoutes(tools: EndpointTools): RouteDescription[] {
  return [
    ...proEndpoints(tools),
    ...describeIdentityProvider(tools, '/oauth/:name'),
    describeIdentityProviderForm('/oauth/:name'),
  ];
}

/**
 * The routes of every configured Pro provider, to be mounted beside the others:
 * `app.use('/api/auth', createAuthRouter(service), createProRouter(service))`. Whoever calls acts on themselves.
 * @throws ConfigError without a service, and for a redirect target that is neither a path nor an http(s) URL; InvalidRequestError for options that
 * are no object, have a name that is none, or a `freshMs` that is no time.
 */
export function createProRouter(service: Service, options: ProRouterOptions = {}): Router {
  checkService(service, 'createProRouter');
  const { freshMs = usualFreshMs, successRedirect, failureRedirect, ...others } = optional(options);
  checkMilliseconds(freshMs, 'freshMs');
  refuseOthers(others, 'is no option of this router');
  const redirectOptions = { successRedirect, failureRedirect };
  const tools = { service, redirects: createRedirects(redirectOptions) };
  const router = loadExpress().Router();
  router.use(passOptions);
  mount(router, proEndpoints(createEndpointTools(service)), { service, read: createBodyReader(), freshMs });
  router.head(['/oauth/:name/start', '/oauth/:name/callback'], preview());
  router.get('/oauth/:name/start', startIdentityProvider(tools, namedProvider));
  router.get('/oauth/:name/callback', identityProviderCallback(tools, namedProvider));
  router.post('/oauth/:name/callback', identityProviderForm(tools, namedProvider));
  router.use(errorHandler(service));
  return router;
}
