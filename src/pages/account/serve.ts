/** How the pages of the account are served: to a signed-in user, who is sent to the sign-in otherwise and returns to the page. */
import type { Request, Response } from 'express';
import { toServiceUser } from '../../domain/user.js';
import { isServiceError, type ServiceErrorCode } from '../../errors/service-error.js';
import { NotAuthorizedError } from '../../errors/catalog.js';
import { internals } from '../../core/internals.js';
import { candidateTokens, findSession } from '../../http/authenticate.js';
import { because, refusalOf as reasonOf } from '../../http/refusal.js';
import { isPrefetch, routeContext } from '../../http/request-context.js';
import { readCookie } from '../../http/session-cookie.js';
import { boundMarker } from '../../http/bound-sessions/cookies.js';
import { isRecent } from '../../http/session-requirements.js';
import { FieldErrors, type Attempt } from '../../pages-kit/attempt.js';
import { allowPictures } from '../../pages-kit/page-headers.js';
import { sendPage, type PageRoute } from '../../pages-kit/page-router.js';
import { pageRoutes } from '../../pages-kit/serve.js';
import { tokenField } from '../../pages-kit/session-form.js';
import type { Assets } from '../assets.js';
import { sendBlocked } from '../blocked.js';
import type { Settings } from '../options.js';
import { restoreNext, signInSinceOf } from '../flow.js';
import { isNext, type Entry, type Next } from '../page.js';
import { endPauses } from '../sent.js';
import { attemptOf } from '../serve.js';
import { enter, follow } from '../visit.js';
import { accountPages } from './account-pages.js';
import { closedPaths } from './closed-paths.js';
import { accountRefusalOf } from './form-errors.js';
import { accountLayout, cardLayout } from './layout.js';
import { notFoundView, sendNotInPerson } from './refusal-views.js';
import {
  at,
  filled,
  isDownload,
  type AccountForm,
  type AccountPage,
  type AccountView,
  type AccountVisit,
  type Download,
  type ShownVisit,
} from './page.js';
import { personOf } from './person.js';
import { isOpenTo } from './sections.js';
import { signOutPage } from './sign-out.js';
import { accountField, harmless, isMarkOf, keepTyped, markOf, takeTyped } from './typed.js';
import { unknownPage } from './unknown.js';
import { accountWellKnownRoutes } from './well-known.js';
import { sections } from './views.js';

type Result = AccountView | Next | Download;

export function accountRoutes(settings: Settings, assets: Assets): PageRoute[] {
  const { freshMs, paths, service } = settings;
  const { clock, formTokens, profiles } = service[internals];
  const isClosed = closedPaths(accountPages, paths);
  const first: PageRoute = {
    method: 'GET',
    path: paths.account,
    handle: async (req, res) => follow(enter(settings, req, res), { to: `${paths.account}/${sections[0]}` }),
  };
  const routes = pageRoutes<AccountForm, AccountPage, Entry, AccountVisit, Result>(accountPages, {
    service,
    freshMs,
    pathOf: ({ path }) => paths.account + path,
    isOffered: (page) => page.isOffered(settings.configured().offers),
    enter(req, res) {
      const entry = enter(settings, req, res);
      allowPictures(res, profiles.pictureSources);
      return entry;
    },
    sessionOf: ({ req, res }) => findSession(service, req, res),
    askToSignIn,
    isExempt: async ({ isExemptFromReauth }, { session }) =>
      (await isExemptFromReauth?.(toServiceUser(session.user), settings.configured().offers)) === true,
    async visit(entry, caller, check) {
      // Every page of the account has an access that needs one.
      const { session, token } = caller!;
      const { req } = entry;
      const spoken = await settings.languages.ofUser(session.user.language, entry);
      const isImpersonated = session.claims.act !== undefined;
      const me = toServiceUser(session.user);
      // The address is at hand. User names cost a query.
      const record = me.email === null ? await service.users.get(me.id) : undefined;
      const accountName = me.email ?? record?.username ?? null;
      return {
        ...entry,
        ...spoken,
        me,
        record,
        session,
        token,
        accountName,
        accountMark: markOf(service, me.id, accountName),
        now: new Date(clock()),
        accountToken: formTokens.issueToken(session),
        isClosed: isImpersonated ? isClosed : () => false,
        param: (name) => String(req.params[name] ?? ''),
        actor: { actingUserId: session.user.id, sessionEpoch: session.user.epoch },
        isImpersonated,
        isRecent:
          !isImpersonated &&
          isRecent(service, session, freshMs) &&
          session.signedInAt.getTime() >= signInSinceOf(entry.flow),
        words: spoken.texts.account,
        context: routeContext(service, req, token, check),
      };
    },
    async show(page, caller, attempt) {
      const visit = await withRecord(caller);
      if (!isOpenTo(visit.record, page)) return respond(page, visit, notFoundView(visit), attempt);
      const typed =
        attempt || isPrefetch(visit.req) ? null : takeTyped(visit, pathOfPage(page, visit.req), visit.me.id);
      const result = await page.show(visit, attempt ?? typed);
      const notice = visit.texts.notices.signedInAgain;
      await respond(page, visit, typed && !isNext(result) ? { ...result, notice } : result, attempt);
    },
    checkForm(values, visit) {
      if (!formTokens.isValid(visit.session, values.get(tokenField) ?? ''))
        throw new NotAuthorizedError(because('form_token'));
      restoreNext(visit.flow, values);
    },
    submit: (form, values, visit) => form.submit(values, visit),
    respond,
    attemptOf(error, visit, values) {
      if (isServiceError(error) && reasonOf(error) === 'form_token') return ofEarlierSession(visit, values);
      if (error instanceof FieldErrors) return { values, errors: error.errors };
      endPauses(error, visit);
      return attemptOf(accountRefusalOf(error, visit), values);
    },
    refuse(error, page, entry) {
      if (!isServiceError(error)) return false;
      if (signedOut.has(error.code)) askToSignIn(page, entry);
      else if (error.code === 'user_blocked') sendBlocked(entry, assets, error);
      else if (error.code === 'reauth_required')
        follow(entry, { to: `${at(entry, '/confirm')}?next=${returnPath(page, entry)}` });
      else if (reasonOf(error) === 'impersonation') sendNotInPerson(entry, assets, error);
      else return false;
      return true;
    },
    reload: (page, entry) => follow(entry, { to: pathOfPage(page, entry.req) }),
  });
  return [first, ...accountWellKnownRoutes(settings), ...routes];

  async function respond(
    page: AccountPage,
    visit: AccountVisit,
    result: Result,
    attempt: Attempt | null = null,
  ): Promise<void> {
    if (isNext(result)) return follow(visit, result);
    if (isDownload(result)) return sendDownload(visit.res, result);
    const status = result.status ?? (attempt ? 422 : 200);
    const view = { ...result, status };
    const problem = attempt?.errors.get('') ?? null;
    if (view.frame === 'card') return sendPage(visit.res, cardLayout(visit, assets, view, problem), status);
    const shown = await withRecord(visit);
    const person = await personOf(service, shown.record);
    const document = accountLayout(shown, person, assets, page.section, view, problem);
    sendPage(visit.res, document, status);
  }

  async function withRecord(visit: AccountVisit): Promise<ShownVisit> {
    return { ...visit, record: visit.record ?? (await service.users.get(visit.me.id)) };
  }

  function askToSignIn(page: AccountPage, entry: Entry, values?: URLSearchParams): void {
    // Sent from a tab whose session had ended: nothing is left to do.
    if (page === signOutPage) return follow(entry, { to: `${paths.signIn}?notice=signed_out` });
    if (values) keepTyped(entry, pathOfPage(page, entry.req), values);
    const isLost = readCookie(entry.req, boundMarker(service[internals], entry.req)) !== undefined;
    const hasEnded = values !== undefined || isLost || candidateTokens(service, entry.req).length > 0;
    const notice = hasEnded ? '&notice=session_ended' : '';
    follow(entry, { to: `${paths.signIn}?next=${returnPath(page, entry)}${notice}` });
  }

  /** Shows a form again that an earlier session of this browser was shown. Nothing that another user typed is shown again. */
  function ofEarlierSession(visit: AccountVisit, values: URLSearchParams): Attempt | null {
    const { errors, notices } = visit.texts;
    const { accountName: name, me } = visit;
    const mark = values.get(accountField);
    if (mark === null) return attemptOf(['', errors.formExpired], new URLSearchParams());
    if (isMarkOf(service, me.id, mark)) return attemptOf(['', errors.formExpired], harmless(values));
    const sentence = name === null ? notices.otherAccountUnnamed : notices.otherAccount(name);
    return attemptOf(['', sentence], new URLSearchParams());
  }

  /** A form cannot be sent again, so its user returns to the page that it is on. */
  function returnPath(page: AccountPage, { base, req }: Entry): string {
    const isForm = req.method === 'POST' || isPrefetch(req);
    return encodeURIComponent(isForm ? base + pathOfPage(page, req) : req.originalUrl);
  }

  function pathOfPage(page: AccountPage, { params, path: requested }: Request): string {
    const { path } = page;
    if (page === unknownPage) return requested;
    return paths.account + filled(path, (name) => String(params[name]));
  }
}

const signedOut: ReadonlySet<ServiceErrorCode> = new Set(['token_invalid', 'user_not_found']);

function sendDownload(res: Response, { fileName, type, content }: Download): void {
  res.statusCode = 200;
  res.setHeader('Content-Type', type);
  res.setHeader('Content-Disposition', `attachment; filename="${fileName}"`);
  res.end(content);
}
