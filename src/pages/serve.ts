/** The checks before a page is shown, and before one of its forms does something. */
import type { NextFunction, Request, Response } from 'express';
import { constantTimeEqual } from '../crypto/digest.js';
import { InvalidRequestError, type ChallengeRequiredError } from '../errors/catalog.js';
import { isServiceError } from '../errors/service-error.js';
import { internals } from '../core/internals.js';
import type { LiveSession } from '../core/sessions/session-checks.js';
import type { Access } from '../http/endpoint.js';
import { requireAccess } from '../http/session-requirements.js';
import { checkOrigin } from '../http/origin-check.js';
import { redirect } from '../http/redirects.js';
import { createFormReader } from '../http/request-body.js';
import { isPrefetch, queryOf, routeContext, withCheck } from '../http/request-context.js';
import { setPageHeaders } from '../pages-kit/page-headers.js';
import { sendPage, type PageRoute } from '../pages-kit/page-router.js';
import { tokenField } from '../pages-kit/session-form.js';
import { because, refusalOf as reasonOf } from '../http/refusal.js';
import { notInPersonView } from './account/refusal-views.js';
import { featuresOf } from './features.js';
import { followLink, maxIdentifier, readFlow, restoreFlow, writeFlow, type Flow } from './flow.js';
import { sendChallenge } from './challenge.js';
import { refusalOf } from './form-errors.js';
import { layout } from './layout.js';
import type { Assets } from './assets.js';
import { guestSessionOf, sessionOf } from './sign-in/signed-in.js';
import {
  isCeremony,
  isNext,
  type Ceremony,
  type Next,
  type Page,
  type PageForm,
  type SessionVisit,
  type Visit,
} from './page.js';
import { isPath, type Settings } from './options.js';
import { FieldError, type Attempt } from '../pages-kit/attempt.js';

/** Returns the routes of the pages: GET shows a page, and POST submits one of its forms. */
export function routesOf(pages: readonly Page[], settings: Settings, assets: Assets): PageRoute[] {
  const readForm = createFormReader();
  return pages.flatMap((page) => {
    const path = page.path(settings.paths);
    const shows: PageRoute = { method: 'GET', path, handle: (req, res, next) => show(page, req, res, next) };
    const forms = Object.entries(page.forms ?? {}).map(([name, form]): PageRoute => ({
      method: 'POST',
      path: name === '' ? path : `${path}/${name}`,
      handle: (req, res, next) => send(page, form, req, res, next),
    }));
    // A reload after a refused form asks for its path with GET.
    const reloads = forms
      .filter((form) => form.path !== path)
      .map((form): PageRoute => ({
        method: 'GET',
        path: form.path,
        handle: async (req, res) => back(req, res, path),
      }));
    return [shows, ...forms, ...reloads];
  });

  function back(req: Request, res: Response, path: string): void {
    follow(enter(settings, req, res), { to: path });
  }

  async function show(page: Page, req: Request, res: Response, pass: NextFunction): Promise<void> {
    const features = featuresOf(settings.service);
    if (!page.isOffered(features)) return pass();
    const visit = enter(settings, req, res, features);
    const result = await page.show(visit, null);
    if (isNext(result)) return follow(visit, result);
    // A prefetched page must not replace the form token of the page that is open.
    if (!isPrefetch(req)) visit.keep({});
    sendPage(res, layout(visit, assets, result), result.status);
  }

  async function send(
    page: Page,
    form: PageForm,
    req: Request,
    res: Response,
    pass: NextFunction,
  ): Promise<void> {
    const features = featuresOf(settings.service);
    if (!page.isOffered(features)) return pass();
    const visit = enter(settings, req, res, features);
    checkOrigin(settings.service[internals], req);
    const values = await readForm(req, res);
    try {
      if (!constantTimeEqual(visit.flow.formToken, values.get(tokenField) ?? ''))
        throw new InvalidRequestError(undefined, because('form_token'));
      refuseLongIdentifiers(values, visit);
      restoreFlow(visit.flow, values);
      visit.context = contextOf(settings, req, visit.flow);
      const result = await submit(form, values, visit);
      if (result === null) await showAgain(page, visit, { values, errors: new Map() });
      else if (isCeremony(result)) sendCeremony(res, result);
      else follow(visit, result);
    } catch (error) {
      const isChallenge = isServiceError(error) && error.code === 'challenge_required';
      if (isChallenge && sendChallenge(visit, assets, error as ChallengeRequiredError, values)) return;
      if (isServiceError(error) && reasonOf(error) === 'impersonation')
        return sendPage(res, notInPersonView(visit, assets), 403);
      if (isServiceError(error) && error.code === 'reauth_required' && form.access === 'recent')
        return follow(visit, { to: confirmPath(visit, page) });
      const refusal = refusalOf(error, visit);
      if (!refusal) throw error;
      const [field, text] = refusal;
      const attempt: Attempt = { values, errors: new Map([[field, text]]) };
      await showAgain(page, visit, attempt, 422);
    }
  }

  /** Shows the page in the response to its form. */
  async function showAgain(page: Page, visit: Visit, attempt: Attempt, usualStatus = 200): Promise<void> {
    const result = await page.show(visit, attempt);
    if (isNext(result)) return follow(visit, result);
    visit.keep({});
    const status = result.status ?? usualStatus;
    sendPage(visit.res, layout(visit, assets, { ...result, status }), status);
  }
}

/** What is typed here is kept in the cookie of the flow. @throws FieldError */
function refuseLongIdentifiers(values: URLSearchParams, { texts: { errors } }: Visit): void {
  for (const field of ['email', 'phone'] as const)
    if ((values.get(field) ?? '').length > maxIdentifier) throw new FieldError(field, errors[field]);
}

/** Checks the access of a form and submits it. Null if it acts for a session and the browser has none. */
async function submit(
  form: PageForm,
  values: URLSearchParams,
  visit: Visit,
): Promise<Next | Ceremony | null> {
  if (form.access !== 'open') {
    const session = await sessionOf(visit);
    return session && form.submit(values, await actingVisit(visit, session, form.access));
  }
  const { ofGuest } = form;
  const guest = ofGuest && (await guestSessionOf(visit));
  return form.submit(values, visit, guest ? await actingVisit(visit, guest, ofGuest) : null);
}

async function actingVisit(visit: Visit, session: LiveSession, access: Access): Promise<SessionVisit> {
  const check = await requireAccess(visit.service, session, visit.freshMs, { access });
  return { ...visit, session, context: withCheck(visit.context, check) };
}

/** The page that asks for another sign-in, and continues at this one. */
function confirmPath({ base, paths }: Visit, page: Page): string {
  return `${paths.account}/confirm?next=${encodeURIComponent(base + page.path(paths))}`;
}

/** Reads a request. The checks of a form come after it. */
export function enter(
  settings: Settings,
  req: Request,
  res: Response,
  features = featuresOf(settings.service),
): Visit {
  setPageHeaders(res);
  const { service } = settings;
  const flow = readFlow(service, req);
  const query = queryOf(req);
  const next = query.get('next');
  if (isPath(next)) flow.next = next;
  const link = query.get('link');
  if (link !== null) followLink(flow, link);
  // A cache of the application must not keep a page for readers of other languages.
  res.vary('Accept-Language');
  return {
    ...settings,
    req,
    res,
    base: baseOf(req),
    ...settings.languages.ofRequest(req),
    features,
    flow,
    keep(change) {
      Object.assign(flow, change);
      writeFlow(service, req, res, flow);
    },
    query,
    context: contextOf(settings, req, flow),
  };
}

/** For the methods of the service, with the choice whether the browser keeps the session. */
function contextOf({ service }: Settings, req: Request, flow: Flow) {
  return { ...routeContext(service, req), ...(flow.remember === false && { remember: false }) };
}

/** The script passes the options to the browser. */
function sendCeremony(res: Response, { ceremony, options }: Ceremony): void {
  res.setHeader('Svc-Ceremony', ceremony);
  res.setHeader('Content-Type', 'application/json; charset=utf-8');
  res.end(JSON.stringify(options));
}

/** The path at which the pages are mounted. More than one slash at the start would name another site. */
function baseOf(req: Request): string {
  return req.baseUrl.replace(/^[/\\]+/, '/').replace(/\/$/, '');
}

/** Redirects with GET, also after a POST, so that a reload repeats nothing. */
export function follow({ base, req, res }: Visit, { to, isOutside }: Next): void {
  const target = isOutside ? to : base + to;
  // The script asks for the target, because it cannot see where a redirect leads.
  if (req.headers['svc-pages'] !== undefined) {
    res.statusCode = 204;
    res.setHeader('Svc-Location', target);
    return void res.end();
  }
  redirect(res, target, 303);
}
