/** How the pages of the administration are served: to callers whom `authorize` allows the action of a page. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Request, Response } from 'express';
import { toServiceUser } from '../domain/user.js';
import { NotAuthorizedError } from '../errors/catalog.js';
import { internals } from '../core/internals.js';
import { describeError } from '../core/support/logger.js';
import { hasPermission } from '../http/admin-permission.js';
import { authenticate } from '../http/authenticate.js';
import { because } from '../http/refusal.js';
import { queryOf, routeContext } from '../http/request-context.js';
import { by } from '../http/routes/admin/by.js';
import { allowPictures, setPageHeaders } from '../pages-kit/page-headers.js';
import { sendPage, seeOther, type PageRoute } from '../pages-kit/page-router.js';
import { pageRoutes, type Entered } from '../pages-kit/serve.js';
import { tokenField } from '../pages-kit/session-form.js';
import { assets } from './assets.js';
import { hasAudit } from './audit/list.js';
import { hasClients } from './clients/client-page.js';
import { baseOf } from './error-page.js';
import { refusalOf } from './form-errors.js';
import { layout, notice } from './layout.js';
import type { Settings } from './options.js';
import { zoneOf } from './time-zone.js';
import type { AdminForm, Call, Download, Page } from './page.js';

/** Metadata of 8 KB can take three times as much in a form, and more with the blanks between its parts. */
const formLimit = '64kb';

type Submitted = Awaited<ReturnType<AdminForm['submit']>>;

/** Every request is checked: an administrator who loses the role or is blocked is refused from then on. */
export function routesOf(pages: readonly Page[], settings: Settings): PageRoute[] {
  const { service, authorize, freshMs, languages } = settings;
  const { formTokens, profiles } = service[internals];
  return pageRoutes<AdminForm, Page, Entered, Call, Submitted>(pages, {
    service,
    freshMs,
    authorize,
    formLimit,
    pathOf: ({ path }) => path,
    isOffered: (page) => page.isOffered?.(service) ?? true,
    enter(req: Request, res: Response) {
      setPageHeaders(res);
      // A cache of the application must not keep a page for readers of other languages.
      res.vary('Accept-Language');
      allowPictures(res, profiles.pictureSources);
      return { req, res };
    },
    async sessionOf({ req, res }) {
      const caller = await authenticate(service, req, res);
      // Before anything is refused: the page of an error is in this language too.
      await languages.prefer(req, caller.session.user.language);
      return caller;
    },
    async visit({ req, res }, caller, check) {
      // Every page of the administration has an access that needs one.
      const { session, token } = caller!;
      const me = toServiceUser(session.user);
      const param = (name: string) => String(req.params[name] ?? '');
      const userId = param('id');
      return {
        ...settings,
        ...languages.ofRequest(req),
        zone: zoneOf(req),
        req,
        res,
        assets,
        base: baseOf(req),
        me,
        session,
        token,
        formToken: formTokens.issueToken(session),
        query: queryOf(req),
        userId,
        param,
        can: (action) => hasPermission(service, authorize, action, session, userId),
        showsOverview: await hasPermission(service, authorize, 'statistics.read', session, ''),
        showsClients:
          hasClients(service) && (await hasPermission(service, authorize, 'oauthClients.list', session, '')),
        showsAudit: hasAudit(service) && (await hasPermission(service, authorize, 'audit.list', session, '')),
        context: routeContext(service, req, token, check),
        by: by({ me, session }),
      };
    },
    async show(page, call, attempt) {
      const view = await page.show(call, attempt);
      if ('to' in view) return seeOther(call.res, call.base + view.to);
      if ('file' in view) return sendFile(call, view);
      const document = view.isNotice ? notice(call, view.title, view.body) : layout(call, view);
      sendPage(call.res, document, view.status);
    },
    checkForm(values, { session }) {
      if (!formTokens.isValid(session, values.get(tokenField) ?? ''))
        throw new NotAuthorizedError(because('form_token'));
    },
    submit: (form, values, call) => form.submit(values, call),
    async respond(_page, call, next) {
      const { base, res } = call;
      if (typeof next === 'string') seeOther(res, base + next);
      else if ('outside' in next) seeOther(res, next.outside);
      else sendPage(res, layout(call, next), next.status);
    },
    attemptOf(error, { texts }, values) {
      const refusal = refusalOf(error, texts);
      return refusal && { values, errors: new Map([refusal]) };
    },
  });
}

async function sendFile({ req, res, service }: Call, { file }: Download): Promise<void> {
  const { name, type, content } = file;
  res.setHeader('Content-Type', type);
  res.setHeader('Content-Disposition', `attachment; filename="${name}"`);
  if (typeof content === 'string') return void res.end(content);
  // The first page was read: a refused request has the same status with either method.
  if (req.method === 'HEAD') return void res.end();
  try {
    await pipeline(Readable.from(content), res);
  } catch (error) {
    // The response has begun: its end is missing, which the browser reports. A client that has gone is normal.
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE')
      service[internals].logger.error(
        { event: 'download_failed', err: describeError(error) },
        'a download failed',
      );
  }
}
