/** How the pages of the sign-in are served: they carry a flow in a cookie, and most of them have no session. */
import type { Response } from 'express';
import { constantTimeEqual } from '../crypto/digest.js';
import { InvalidRequestError, type ChallengeRequiredError } from '../errors/catalog.js';
import { isServiceError } from '../errors/service-error.js';
import { because, refusalOf as reasonOf } from '../http/refusal.js';
import { isPrefetch, routeContext } from '../http/request-context.js';
import { isFieldsRequired, keepUnfinishedSignUp } from '../http/sign-up-cookie.js';
import { FieldError, FieldErrors, type Attempt } from '../pages-kit/attempt.js';
import { sendFirstPage } from '../pages-kit/first-visit.js';
import { pageRoutes } from '../pages-kit/serve.js';
import { sendPage, type PageRoute } from '../pages-kit/page-router.js';
import { tokenField } from '../pages-kit/session-form.js';
import { sendNotInPerson } from './account/refusal-views.js';
import type { Assets } from './assets.js';
import { sendBlocked } from './blocked.js';
import { sendChallenge } from './challenge.js';
import { maxIdentifier, restoreFlow } from './flow.js';
import { refusalOf } from './form-errors.js';
import { findImpersonation } from './impersonation.js';
import { layout } from './layout.js';
import type { Settings } from './options.js';
import {
  isCeremony,
  isNext,
  type Ceremony,
  type Entry,
  type Next,
  type Page,
  type PageForm,
  type SessionVisit,
  type Visit,
} from './page.js';
import { endPauses } from './sent.js';
import { guestOf, sessionOf } from './sign-in/signed-in.js';
import { completionPath } from './sign-up/complete.js';
import { enter, follow } from './visit.js';

/** A visit, with the session for which a form acts. */
interface SignInVisit extends Visit {
  session: SessionVisit['session'] | null;
}

export function signInRoutes(pages: readonly Page[], settings: Settings, assets: Assets): PageRoute[] {
  const { paths, service } = settings;
  return pageRoutes<PageForm, Page, Entry, SignInVisit, Next | Ceremony>(pages, {
    service,
    freshMs: settings.freshMs,
    pathOf: (page) => page.path(paths),
    isOffered: (page) => page.isOffered(settings.configured().features),
    enter: (req, res) => enter(settings, req, res),
    sessionOf: (entry, { ofGuest }) => (ofGuest ? guestOf(entry) : sessionOf(entry)),
    visit(entry, caller, check) {
      const { remember } = entry.flow;
      const context = { ...routeContext(service, entry.req, undefined, check), remember };
      return { ...entry, context, session: caller?.session ?? null };
    },
    async show(page, visit, attempt) {
      const result = await page.show(visit, attempt);
      if (isNext(result)) return follow(visit, result);
      await findImpersonation(visit);
      // A prefetched page must not replace the form token of the page that is open.
      if (attempt || !isPrefetch(visit.req)) visit.keep({});
      const status = result.status ?? (attempt && attempt.errors.size > 0 ? 422 : 200);
      const shown = layout(visit, assets, { ...result, status });
      // What was typed into a form is a secret too.
      if (attempt) sendPage(visit.res, shown, status);
      else sendFirstPage(visit.req, visit.res, shown, status);
    },
    checkForm(values, visit) {
      if (!constantTimeEqual(visit.flow.formToken, values.get(tokenField) ?? '')) {
        // A page that was open for longer than its cookie is shown again at the same step.
        restoreFlow(visit.flow, values);
        throw new InvalidRequestError(undefined, because('form_token'));
      }
      refuseLongIdentifiers(values, visit);
      restoreFlow(visit.flow, values);
      visit.context.remember = visit.flow.remember;
    },
    async submit(form, values, visit) {
      const { session } = visit;
      const acting = session && { ...visit, session };
      if (form.access === 'open') return form.submit(values, visit, acting);
      // The engine has asked for it.
      return form.submit(values, acting!);
    },
    async respond(_page, visit, result) {
      if (isCeremony(result)) sendCeremony(visit.res, result);
      else follow(visit, result);
    },
    challenge: (error, visit, values) =>
      isServiceError(error) &&
      error.code === 'challenge_required' &&
      sendChallenge(visit, assets, error as ChallengeRequiredError, values),
    attemptOf(error, visit, values) {
      if (error instanceof FieldErrors) return { values, errors: error.errors };
      endPauses(error, visit);
      return attemptOf(refusalOf(error, visit), values);
    },
    refuse(error, page, entry, { access }) {
      if (isFieldsRequired(error)) {
        keepUnfinishedSignUp(service, entry.req, entry.res, error);
        entry.keep({});
        follow(entry, { to: paths.signUp + completionPath });
        return true;
      }
      if (!isServiceError(error)) return false;
      if (reasonOf(error) === 'impersonation') sendNotInPerson(entry, assets, error);
      else if (error.code === 'user_blocked') sendBlocked(entry, assets, error);
      else if (error.code === 'reauth_required' && access === 'recent')
        follow(entry, { to: confirmPath(entry, page) });
      else return false;
      return true;
    },
    reload: (page, entry) => follow(entry, { to: page.path(paths) }),
  });
}

/** What is typed here is kept in the cookie of the flow. @throws FieldError */
function refuseLongIdentifiers(values: URLSearchParams, { texts: { errors } }: Visit): void {
  for (const field of ['email', 'phone'] as const)
    if ((values.get(field) ?? '').length > maxIdentifier) throw new FieldError(field, errors[field]);
}

export function attemptOf(
  refusal: readonly [field: string, text: string] | null,
  values: URLSearchParams,
): Attempt | null {
  return refusal && { values, errors: new Map([refusal]) };
}

/** The page that asks for another sign-in, and continues at this one. */
function confirmPath({ base, paths }: Entry, page: Page): string {
  return `${paths.account}/confirm?next=${encodeURIComponent(base + page.path(paths))}`;
}

/** The script passes the options to the browser. */
function sendCeremony(res: Response, { ceremony, options }: Ceremony): void {
  res.setHeader('Svc-Ceremony', ceremony);
  res.setHeader('Content-Type', 'application/json; charset=utf-8');
  res.end(JSON.stringify(options));
}
