/** What a page shows that cannot be opened. */
import type { ServiceError } from '../../errors/service-error.js';
import type { Html } from '../../html/html.js';
import { internals } from '../../core/internals.js';
import { toServiceError } from '../../http/error-handler.js';
import { setReason } from '../../http/refusal.js';
import { sendPage } from '../../pages-kit/page-router.js';
import type { Assets } from '../assets.js';
import { layout } from '../layout.js';
import type { Entry } from '../page.js';
import { at, type AccountView, type AccountVisit } from './page.js';

/** For a record that does not exist, or that is another user's. */
export function notFoundView(visit: AccountVisit): AccountView {
  return { title: visit.words.notFound, status: 404, body: visit.templates.accountNotFound(visit) };
}

/** Sends the page for an administrator who impersonates the user, and logs the refusal as the routes do. */
export function sendNotInPerson(visit: Entry, assets: Assets, error: ServiceError): void {
  toServiceError(error, visit.req, visit.service[internals]);
  setReason(visit.res, error);
  sendPage(visit.res, notInPersonView(visit, assets), 403);
}

function notInPersonView(visit: Entry, assets: Assets): Html {
  const { account } = visit.texts;
  const title = account.impersonatedTitle;
  const links = [{ path: at(visit, '/profile'), label: visit.texts.back }];
  const view = { title, lead: account.impersonated, links, hasButton: true };
  return layout(visit, assets, { title, body: visit.templates.message(visit, view), status: 403 });
}
