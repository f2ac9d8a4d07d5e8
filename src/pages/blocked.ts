/** What a blocked user sees, whichever way the sign-in went: there is nothing to enter any more. */
import type { ServiceError } from '../errors/service-error.js';
import { internals } from '../core/internals.js';
import { toServiceError } from '../http/error-handler.js';
import { setReason } from '../http/refusal.js';
import { sendPage } from '../pages-kit/page-router.js';
import type { Assets } from './assets.js';
import { layout } from './layout.js';
import type { Entry, View } from './page.js';

export function blockedView(visit: Entry): View {
  const { paths, templates, texts } = visit;
  const title = texts.notices.blocked;
  const links = [{ path: paths.signIn, label: texts.back }];
  const body = templates.message(visit, { title, lead: texts.errors.blocked, links, needsSupport: true });
  return { title, body, status: 403 };
}

/** Sends the page, and logs the refusal as the routes do. */
export function sendBlocked(visit: Entry, assets: Assets, error: ServiceError): void {
  toServiceError(error, visit.req, visit.service[internals]);
  setReason(visit.res, error);
  const view = blockedView(visit);
  sendPage(visit.res, layout(visit, assets, view), view.status);
}
