/** The pages on which people sign in, create accounts and manage them. */
import type { Request, Router } from 'express';
import type { Service } from '../engine/service.js';
import { internals } from '../core/internals.js';
import { ConfigError } from '../errors/catalog.js';
import { checkService } from '../http/check-service.js';
import { createPageRouter, type PageRoute } from '../pages-kit/page-router.js';
import { accountRoutes } from './account/serve.js';
import { wellKnownTargets } from './account/well-known.js';
import { createAssets } from './assets.js';
import { refusedRequestPage } from './consent/refused.js';
import { sendErrorPage } from './error-page.js';
import { linkConfirmationPage } from './link-confirmation.js';
import { notMePage } from './not-me.js';
import { warnOfMissingRouters } from './missing-routers.js';
import { parseOptions, type PagesOptions, type Settings } from './options.js';
import { isPath } from './paths.js';
import { pages } from './pages.js';
import { passwordEstimator } from './password-estimator.js';
import { signInRoutes } from './serve.js';
import { reclaimedNotice } from './sign-in/arrive.js';
import { completionPath } from './sign-up/complete.js';
import { statusRoute } from './sign-in/status.js';
import { templates } from './templates/index.js';

/**
 * Returns a router with the pages for sign-in and accounts: `app.use(createPages(service, { name: 'Acme' }))`. The pages are rendered on the
 * server and work without JavaScript, except for passkeys. They show what the service has configured, and nothing else.
 * @throws ConfigError if the first argument is not a service, if it has pages already, and if an option is unknown or has a wrong value.
 */
export function createPages(service: Service, options: PagesOptions = {}): Router {
  checkService(service, 'createPages');
  const settings = parseOptions(service, options, templates);
  setTargets(settings);
  const checkMount = mountCheck(settings);
  const assets = createAssets(settings);
  service[internals].pageTargets.linkConfirmation = linkConfirmationPage(settings, assets);
  service[internals].pageTargets.notMe = notMePage(settings, assets);
  service[internals].pageTargets.refusedRequest = refusedRequestPage(settings, assets);
  const routes = [
    statusRoute(settings),
    ...signInRoutes(pages, settings, assets),
    ...accountRoutes(settings, assets),
  ].map((route) => prepared(route, settings, checkMount));
  const files = [...Object.values(assets), passwordEstimator()].filter((file) => file !== null);
  return createPageRouter(routes, files, (error, req, res) =>
    sendErrorPage(settings, assets, error, req, res),
  );
}

/** Loads the language of each request before its page. */
function prepared(
  { handle, ...route }: PageRoute,
  { languages }: Settings,
  checkMount: (req: Request) => void,
): PageRoute {
  return {
    ...route,
    async handle(req, res, next) {
      checkMount(req);
      await languages.prepare(req);
      await handle(req, res, next);
    },
  };
}

/** Logs once what the pages lack: the right `basePath`, which only a request shows, and routers. */
function mountCheck(settings: Settings): (req: Request) => void {
  const { basePath, service } = settings;
  let isChecked = false;
  return ({ baseUrl }) => {
    if (isChecked) return;
    isChecked = true;
    warnOfMissingRouters(settings);
    if (baseUrl === basePath) return;
    service[internals].logger.warn(
      { option: 'basePath', mountedAt: baseUrl, basePath: basePath || '/' },
      `createPages: the pages are mounted at ${baseUrl || '/'}, so set basePath to that path: links in mails and identity providers lead to pages that do not exist`,
    );
  };
}

/** Sign-ins with a link or an identity provider end on these pages, unless the router has its own targets. @throws ConfigError */
function setTargets(settings: Settings): void {
  const { basePath, paths: below, service } = settings;
  const targets = service[internals].pageTargets;
  // The second would silently receive the sign-ins of the first.
  if (targets.success !== undefined) {
    const message = 'has been called for this service: a service has its pages once';
    throw new ConfigError([{ path: 'createPages(service, …)', message }]);
  }
  const paths = {
    signIn: basePath + below.signIn,
    twoFactor: basePath + below.twoFactor,
    complete: basePath + below.signUp + completionPath,
  };
  targets.success = ({ link, reclaimed }) => {
    const query = new URLSearchParams({
      ...(link !== undefined && { link }),
      ...(reclaimed && reclaimedNotice),
    });
    return `${paths.signIn}/done${query.size > 0 ? `?${query.toString()}` : ''}`;
  };
  targets.wellKnown = () => wellKnownTargets(settings, basePath);
  targets.consent = basePath + below.consent;
  targets.device = basePath + below.device;
  targets.failure = ({ code, reason = '' }, { appState, link, provider }) => {
    if (code === 'fields_required') {
      const origin = link === undefined ? isPath(appState) && ['next', appState] : ['link', link];
      return paths.complete + (origin ? `?${origin[0]}=${encodeURIComponent(origin[1]!)}` : '');
    }
    if (code !== 'mfa_required') {
      const query = new URLSearchParams({ error: code, ...(provider !== undefined && { provider, reason }) });
      return `${paths.signIn}?${query.toString()}`;
    }
    if (link !== undefined) return `${paths.twoFactor}?link=${link}`;
    return paths.twoFactor + (isPath(appState) ? `?next=${encodeURIComponent(appState)}` : '');
  };
}
