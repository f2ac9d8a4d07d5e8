/** The checks before a page is shown, and before its form changes something. They are those of the admin router. */
import type { Request, Response } from 'express';
import { toServiceUser } from '../domain/user.js';
import { internals } from '../core/internals.js';
import { hasPermission, requirePermission } from '../http/admin-permission.js';
import { authenticate } from '../http/authenticate.js';
import { createFormReader } from '../http/request-body.js';
import { queryOf } from '../http/request-context.js';
import { by } from '../http/routes/admin/by.js';
import { requireAccess } from '../http/session-requirements.js';
import { setPageHeaders } from '../pages-kit/page-headers.js';
import { sendPage, seeOther, type PageRoute } from '../pages-kit/page-router.js';
import { receiveForm } from '../pages-kit/session-form.js';
import { assets } from './assets.js';
import { baseOf } from './error-page.js';
import { refusalOf } from './form-errors.js';
import { formView } from './form-view.js';
import { layout } from './layout.js';
import type { Settings } from './options.js';
import type { Call, FormPage, Page } from './page.js';
import type { Attempt } from '../pages-kit/attempt.js';

/** Metadata of 8 KB can take three times as much in a form, and more with the blanks between its parts. */
const formLimit = '64kb';

/** Returns the routes of the pages: GET shows a page, and POST submits its form. */
export function routesOf(pages: readonly Page[], settings: Settings): PageRoute[] {
  const readForm = createFormReader(formLimit);
  return pages.flatMap((page) => [
    { method: 'GET', path: page.path, handle: (req, res) => show(page, settings, req, res) } as const,
    ...(page.kind === 'form' ? [{ method: 'POST', path: page.path, handle: submitTo(page) } as const] : []),
  ]);

  function submitTo(page: FormPage): PageRoute['handle'] {
    return async (req, res) => {
      const { caller, values } = await receiveForm(settings.service, readForm, req, res, () =>
        enter(page, settings, req, res),
      );
      await submit(page, caller, values);
    };
  }
}

async function show(page: Page, settings: Settings, req: Request, res: Response): Promise<void> {
  setPageHeaders(res);
  const call = await enter(page, settings, req, res);
  const view =
    page.kind === 'show'
      ? await page.show(call)
      : formView(call, page.view(await page.read(call), call, null), null);
  sendPage(res, layout(call, view), view.status);
}

async function submit(page: FormPage, call: Call, values: URLSearchParams): Promise<void> {
  try {
    const next = await page.submit(values, call);
    return seeOther(call.res, typeof next === 'string' ? call.base + next : next.outside);
  } catch (error) {
    const refusal = refusalOf(error);
    if (!refusal) throw error;
    const [field, text] = refusal;
    const attempt: Attempt = { values, errors: new Map([[field, text]]) };
    const view = formView(call, page.view(await page.read(call), call, attempt), attempt);
    sendPage(call.res, layout(call, view), view.status);
  }
}

/**
 * Checks who sends a request, on every request: an administrator who loses the role or is blocked is refused from then on.
 */
async function enter(page: Page, settings: Settings, req: Request, res: Response): Promise<Call> {
  const { service, authorize, freshMs } = settings;
  const { session, token } = await authenticate(service, req, res);
  const param = (name: string) => String(req.params[name] ?? '');
  const userId = param('id');
  await requireAccess(service, session, freshMs, {
    access: page.access,
    permission: () => requirePermission(service, authorize, page.action, session, userId),
  });
  const me = toServiceUser(session.user);
  return {
    ...settings,
    req,
    res,
    assets,
    base: baseOf(req),
    me,
    session,
    token,
    formToken: service[internals].formTokens.issueToken(session),
    query: queryOf(req),
    userId,
    param,
    can: (action) => hasPermission(service, authorize, action, session, userId),
    by: by({ me, session }),
  };
}
