/** The page for a request that is refused, or that fails. */
import type { Request, Response } from 'express';
import { html, type Html } from '../html/html.js';
import { internals } from '../core/support/internals.js';
import { statusOf, toServiceError } from '../http/error-handler.js';
import { sendPage } from '../pages-kit/page-router.js';
import type { Assets } from './assets.js';
import { refusalOf } from './form-errors.js';
import { layout } from './layout.js';
import type { Settings } from './options.js';
import { enter } from './serve.js';
import { templates } from './templates/index.js';

/** Sends the page for an error, and logs it as the routes do. */
export function sendErrorPage(
  settings: Settings,
  assets: Assets,
  error: unknown,
  req: Request,
  res: Response,
): void {
  const serviceError = toServiceError(error, req, settings.service[internals].logger);
  const visit = enter(settings, req, res);
  const { errors } = visit.texts;
  const [, text] = refusalOf(serviceError, visit) ?? ['', errors.failed];
  const body = html`<h1>${errors.failedTitle}</h1>
    <p>${text}</p>
    <p>
      <a class="button plain" href="${visit.base}${visit.paths.signIn}">${visit.texts.signIn.submit}</a>
    </p>`;
  const status = statusOf[serviceError.code];
  const view = { title: errors.failedTitle, body, status };
  sendPage(res, withOwnFrame() ?? layout({ ...visit, templates, slots: {} }, assets, view), status);

  /** Null if a template or a slot of the application fails: the error may be its own. */
  function withOwnFrame(): Html | null {
    try {
      return layout(visit, assets, view);
    } catch {
      return null;
    }
  }
}
