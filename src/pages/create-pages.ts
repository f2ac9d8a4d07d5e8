/** The pages on which people sign in, create accounts and manage them. */
import type { Router } from 'express';
import type { Service } from '../engine/service.js';
import { internals } from '../core/support/internals.js';
import { checkService } from '../http/check-service.js';
import { createPageRouter } from '../pages-kit/page-router.js';
import { accountRoutes } from './account/serve.js';
import { createAssets } from './assets.js';
import { sendErrorPage } from './error-page.js';
import { parseOptions, type PagesOptions, type Settings } from './options.js';
import { pages } from './pages.js';
import { routesOf } from './serve.js';
import { statusRoute } from './sign-in/status.js';
import { languages } from './texts/languages.js';

/**
 * Returns a router with the pages for sign-in and accounts: `app.use(createPages(service, { name: 'Acme' }))`. The pages are rendered on the
 * server and work without JavaScript, except for passkeys. They show what the service has configured, and nothing else.
 * @throws ConfigError if the first argument is not a service or an option has a wrong value; InvalidRequestError if the options contain
 * an unknown name.
 */
export function createPages(service: Service, options: PagesOptions): Router {
  checkService(service, 'createPages');
  const settings = parseOptions(service, options, languages);
  setTargets(settings);
  const assets = createAssets(settings.accent);
  const routes = [
    statusRoute(settings),
    ...routesOf(pages, settings, assets),
    ...accountRoutes(settings, assets),
  ];
  return createPageRouter(routes, Object.values(assets), (error, req, res) =>
    sendErrorPage(settings, assets, error, req, res),
  );
}

/** Sign-ins with a link or an identity provider end on these pages, unless the router has its own targets. */
function setTargets({ paths, service }: Settings): void {
  const targets = service[internals].pageTargets;
  targets.success = `${paths.signIn}/done`;
  targets.failure = ({ code }) =>
    code === 'mfa_required' ? paths.twoFactor : `${paths.signIn}?error=${encodeURIComponent(code)}`;
}
