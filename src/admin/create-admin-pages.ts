/** The pages on which administrators of the application find and change users. */
import type { Router } from 'express';
import type { Service } from '../engine/service.js';
import { internals } from '../core/internals.js';
import { checkService } from '../http/check-service.js';
import { createPageRouter, seeOther, type PageRoute } from '../pages-kit/page-router.js';
import { setPageHeaders } from '../pages-kit/page-headers.js';
import { assets } from './assets.js';
import { baseOf, sendErrorPage, sendNotFound } from './error-page.js';
import { impersonationPage } from './impersonation.js';
import { languagePage } from './language-menu.js';
import { parseOptions, type AdminPagesOptions } from './options.js';
import { pages } from './pages.js';
import { routesOf } from './serve.js';
import { signOutPage } from './sign-out.js';

/**
 * Returns a router with pages that administer users: `app.use('/admin', createAdminPages(service, { authorize }))`. The pages are rendered
 * on the server and work without JavaScript. They ask `authorize` as `createAdminRouter` does, and changes require a recent sign-in.
 * @throws ConfigError if the first argument is not a service, or if `authorize` is not a function or another option has a wrong value;
 * InvalidRequestError if the options contain an unknown name or an invalid `freshMs`.
 */
export function createAdminPages(service: Service, options: AdminPagesOptions): Router {
  checkService(service, 'createAdminPages');
  const settings = parseOptions(service, options);
  const start: PageRoute = {
    method: 'GET',
    path: '/',
    async handle(req, res) {
      setPageHeaders(res);
      seeOther(res, `${baseOf(req)}/users`);
    },
  };
  const routes = [start, ...routesOf([impersonationPage, signOutPage, languagePage, ...pages], settings)];
  const unknown = (['GET', 'POST'] as const).map((method): PageRoute => ({
    method,
    path: '/*',
    async handle(req, res, next) {
      // At the root, every other path is the application's.
      if (req.baseUrl === '') next();
      else sendNotFound(settings, req, res);
    },
  }));
  const prepared = [...routes, ...unknown].map(({ handle, ...route }): PageRoute => ({
    ...route,
    async handle(req, res, next) {
      await settings.languages.prepare(req);
      await handle(req, res, next);
    },
  }));
  return createPageRouter(service[internals], prepared, Object.values(assets), (error, req, res) =>
    sendErrorPage(settings, error, req, res),
  );
}
