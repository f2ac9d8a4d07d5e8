/** The routes of the account pages, and the checks before a page is shown or a form changes something: those of the JSON routes. */
import type { Request, Response } from 'express';
import { toServiceUser } from '../../domain/user.js';
import { isServiceError, type ServiceErrorCode } from '../../errors/service-error.js';
import { internals } from '../../core/internals.js';
import { authenticate } from '../../http/authenticate.js';
import { createFormReader } from '../../http/request-body.js';
import { isPrefetch, routeContext, withCheck } from '../../http/request-context.js';
import { refusalOf as reasonOf } from '../../http/refusal.js';
import { isRecent, requireAccess } from '../../http/session-requirements.js';
import { sendPage, type PageRoute } from '../../pages-kit/page-router.js';
import { receiveForm } from '../../pages-kit/session-form.js';
import type { Assets } from '../assets.js';
import type { Settings } from '../options.js';
import { restoreNext } from '../flow.js';
import { isNext, type Next } from '../page.js';
import { enter as enterPage, follow } from '../serve.js';
import { accountPages } from './account-pages.js';
import { changePasswordRoute } from './change-password.js';
import { accountRefusalOf } from './form-errors.js';
import { accountLayout, cardLayout } from './layout.js';
import { offersOf } from './offers.js';
import { notFoundView, notInPersonView } from './refusal-views.js';
import {
  at,
  filled,
  isDownload,
  type AccountAccess,
  type AccountForm,
  type AccountPage,
  type AccountView,
  type AccountVisit,
  type Download,
  type ShownVisit,
} from './page.js';
import { isOpenTo } from './sections.js';
import { sections } from './views.js';
import type { Attempt } from '../../pages-kit/attempt.js';

export function accountRoutes(settings: Settings, assets: Assets): PageRoute[] {
  const { service, paths } = settings;
  const readForm = createFormReader();
  const first: PageRoute = {
    method: 'GET',
    path: paths.account,
    handle: async (req, res) =>
      follow(enterPage(settings, req, res), { to: `${paths.account}/${sections[0]}` }),
  };
  return [
    first,
    changePasswordRoute(settings),
    ...accountPages.flatMap(routesOf),
    ...accountPages.flatMap(reloadsOf),
  ];

  /** A reload after a form asks for its path with GET. */
  function reloadsOf(page: AccountPage): PageRoute[] {
    return Object.keys(page.forms ?? {})
      .filter((name) => name !== '')
      .map((name) => ({
        method: 'GET',
        path: `${paths.account}${page.path}/${name}`,
        handle: async (req, res) => follow(enterPage(settings, req, res), { to: pathOfPage(page, req) }),
      }));
  }

  function routesOf(page: AccountPage): PageRoute[] {
    const path = paths.account + page.path;
    const isOffered = () => page.isOffered(offersOf(settings));
    return [
      {
        method: 'GET',
        path,
        handle: async (req, res, next) => (isOffered() ? open(page, req, res) : next()),
      },
      ...Object.entries(page.forms ?? {}).map(([name, form]): PageRoute => ({
        method: 'POST',
        path: name === '' ? path : `${path}/${name}`,
        handle: async (req, res, next) => (isOffered() ? send(page, form, req, res) : next()),
      })),
    ];
  }

  async function open(page: AccountPage, req: Request, res: Response): Promise<void> {
    const visit = enterPage(settings, req, res);
    await guarded(page, visit.base + pathOfPage(page, req), req, res, async () => {
      const caller = await checked(page, await enter(req, res), page.access);
      await show(page, caller, null);
    });
  }

  async function send(page: AccountPage, form: AccountForm, req: Request, res: Response): Promise<void> {
    const { base } = enterPage(settings, req, res);
    await guarded(page, base + pathOfPage(page, req), req, res, async () => {
      const { caller: sender, values } = await receiveForm(service, readForm, req, res, () =>
        enter(req, res),
      );
      restoreNext(sender.flow, values);
      const caller = await checked(page, sender, form.access);
      try {
        await respond(page, caller, await form.submit(values, caller));
      } catch (error) {
        const refusal = accountRefusalOf(error, caller);
        if (!refusal) throw error;
        const [field, text] = refusal;
        await show(page, caller, { values, errors: new Map([[field, text]]) });
      }
    });
  }

  async function enter(req: Request, res: Response): Promise<AccountVisit> {
    const entered = enterPage(settings, req, res);
    const { session, token } = await authenticate(service, req, res);
    const visit = { ...entered, ...(await settings.languages.ofUser(session.user.language, req)) };
    const { formTokens } = service[internals];
    const sessionEpoch = session.user.epoch;
    const isImpersonated = session.claims.act !== undefined;
    return {
      ...visit,
      me: toServiceUser(session.user),
      session,
      token,
      accountToken: formTokens.issueToken(session),
      offers: offersOf(settings),
      param: (name) => String(req.params[name] ?? ''),
      actor: { actingUserId: session.user.id, sessionEpoch },
      isImpersonated,
      isRecent: !isImpersonated && isRecent(service, session, settings.freshMs),
      words: visit.texts.account,
      context: routeContext(service, req, token, { session, inPerson: false }),
    };
  }

  /** For a form that was shown to an earlier session of this browser. Nothing of it is shown again: it may be another user's. */
  async function showAgain(page: AccountPage, req: Request, res: Response): Promise<void> {
    const caller = await checked(page, await enter(req, res), page.access);
    const errors = new Map([['', caller.texts.errors.formExpired]]);
    await show(page, caller, { values: new URLSearchParams(), errors });
  }

  /** Returns the visit of a caller who has the access, whose context says so. */
  async function checked(
    page: AccountPage,
    caller: AccountVisit,
    access: AccountAccess,
  ): Promise<AccountVisit> {
    const isExempt = async () => (await page.isExemptFromReauth?.(caller)) === true;
    const check = await requireAccess(service, caller.session, settings.freshMs, { access, isExempt });
    return { ...caller, context: withCheck(caller.context, check) };
  }

  async function show(page: AccountPage, caller: AccountVisit, attempt: Attempt | null): Promise<void> {
    const visit: ShownVisit = { ...caller, record: await service.users.get(caller.me.id) };
    const isOpen = isOpenTo(visit.record, page);
    await respond(page, visit, isOpen ? await page.show(visit, attempt) : notFoundView(visit), attempt);
  }

  async function respond(
    page: AccountPage,
    visit: AccountVisit,
    result: AccountView | Next | Download,
    attempt: Attempt | null = null,
  ): Promise<void> {
    if (isNext(result)) return follow(visit, result);
    if (isDownload(result)) return sendDownload(visit.res, result);
    const status = result.status ?? (attempt ? 422 : 200);
    const view = { ...result, status };
    const problem = attempt?.errors.get('') ?? null;
    if (view.frame === 'card') return sendPage(visit.res, cardLayout(visit, assets, view, problem), status);
    const record = 'record' in visit ? (visit as ShownVisit).record : await service.users.get(visit.me.id);
    const document = accountLayout({ ...visit, record }, assets, page.section, view, problem);
    sendPage(visit.res, document, status);
  }

  /** Sends users who must sign in, or sign in again, to the page for it, from which they return to the page that they were on. */
  async function guarded(
    page: AccountPage,
    path: string,
    req: Request,
    res: Response,
    handle: () => Promise<void>,
  ): Promise<void> {
    try {
      await handle();
    } catch (error) {
      const code = isServiceError(error) ? error.code : undefined;
      const visit = enterPage(settings, req, res);
      // A form cannot be sent again, so its user returns to the page that it is on.
      const next = encodeURIComponent(req.method === 'POST' || isPrefetch(req) ? path : req.originalUrl);
      if (code !== undefined && signedOut.has(code))
        return follow(visit, { to: `${paths.signIn}?next=${next}` });
      if (code === 'reauth_required') return follow(visit, { to: `${at(visit, '/confirm')}?next=${next}` });
      const reason = isServiceError(error) ? reasonOf(error) : undefined;
      if (reason === 'impersonation') return sendPage(res, notInPersonView(visit, assets), 403);
      if (reason === 'form_token') return guarded(page, path, req, res, () => showAgain(page, req, res));
      throw error;
    }
  }

  function pathOfPage({ path }: AccountPage, { params }: Request): string {
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
