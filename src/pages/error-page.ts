/** The page for a request that is refused, or that fails. */
import type { Request, Response } from 'express';
import type { Html } from '../html/html.js';
import { internals } from '../core/internals.js';
import { candidateTokens } from '../http/authenticate.js';
import { statusOf, toServiceError } from '../http/error-handler.js';
import { setReason } from '../http/refusal.js';
import { sendPage } from '../pages-kit/page-router.js';
import type { Assets } from './assets.js';
import { refusalOf } from './form-errors.js';
import { layout } from './layout.js';
import type { Settings } from './options.js';
import type { Entry } from './page.js';
import { enter } from './visit.js';
import { templates } from './templates/index.js';

/** Sends the page for an error, and logs it as the routes do. */
export function sendErrorPage(
  settings: Settings,
  assets: Assets,
  error: unknown,
  req: Request,
  res: Response,
): void {
  const serviceError = toServiceError(error, req, settings.service[internals]);
  const visit = enter(settings, req, res);
  const { errors } = visit.texts;
  const [, message] = refusalOf(serviceError, visit) ?? ['', errors.failed];
  const title = errors.failedTitle;
  const status = statusOf(serviceError.code);
  // Not asked of the storage, which may have failed.
  const isSignedIn = candidateTokens(settings.service, req).length > 0;
  setReason(res, serviceError);
  const render = (shown: Entry) =>
    layout(shown, assets, {
      title,
      body: shown.templates.error(shown, { title, message, isSignedIn }),
      status,
    });
  sendPage(res, withOwnTemplates() ?? render({ ...visit, templates, slots: {} }), status);

  /** Null if a template or a slot of the application fails: the error may be its own. */
  function withOwnTemplates(): Html | null {
    try {
      return render(visit);
    } catch {
      return null;
    }
  }
}
