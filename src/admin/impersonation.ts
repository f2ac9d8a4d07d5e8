/**
 * Starts and ends an impersonation. The browser keeps the administrator's own session in a second cookie, which it sends to these
 * pages only and which lasts as long as the impersonation.
 */
import type { Request, Response } from 'express';
import type { Service } from '../engine/service.js';
import { TokenInvalidError } from '../errors/catalog.js';
import { because } from '../errors/reasons.js';
import { html } from '../html/html.js';
import type { Access } from '../http/endpoint.js';
import { clearCookie, readCookies, setCookie, setSessionCookie } from '../http/session-cookie.js';
import { internals } from '../core/internals.js';
import type { LiveSession } from '../core/sessions/session-checks.js';
import { tokenField } from '../pages-kit/session-form.js';
import { clearAdminPath, impersonationPath, keepAdminPath } from '../pages-kit/impersonation-cookie.js';
import { baseOf } from './error-page.js';
import { withFlash } from './flash.js';
import { defineAdminPage, type Call } from './page.js';

const ownSessionCookie = 'svc_admin';

/** Of the page and its form: an impersonation is what they show and end. */
const access: Access = 'session';

/** Replaces the administrator's session in this browser with the impersonation. */
export function startImpersonation(
  { service, req, res, base, me, token }: Call,
  issued: { token: string; expiresAt: Date },
): void {
  const tools = service[internals];
  const { expiresAt } = issued;
  setCookie(tools, req, res, ownSessionCookie, token, expiresAt, { path: base || '/' });
  setCookie(tools, req, res, tools.cookie.name, issued.token, expiresAt);
  keepAdminPath(service, req, res, { adminId: me.id, base, expiresAt });
}

/** The page of an administrator who impersonates a user, and the form on it that ends the impersonation. */
export const impersonationPage = defineAdminPage({
  path: impersonationPath,
  access,
  action: null,
  async show({ base, formToken, homeUrl, session, texts }) {
    if (!session.claims.act) return { to: '/users' };
    const { email, id } = session.user;
    const who = html`<bdi class="strong">${email ?? texts.names.user(id.slice(-8))}</bdi>`;
    const body = html`<p>${texts.impersonation.lead(who)}</p>
      <form method="post" action="${base}${impersonationPath}">
        <input type="hidden" name="${tokenField}" value="${formToken}" />
        <div class="buttons">
          <button class="primary">${texts.impersonation.stop}</button>
          <a class="button" href="${homeUrl}">${texts.toApp}</a>
        </div>
      </form>`;
    return { title: texts.impersonation.title, body, isNotice: true };
  },
  forms: {
    '': {
      access,
      action: null,
      async submit(_form, { req, res, service, session }) {
        await restoreSession(service, session, req, res);
        return withFlash(`/users/${session.user.id}`, 'impersonation_ended');
      },
    },
  },
});

/**
 * Restores the session of the administrator who impersonates the user.
 * @throws TokenInvalidError if that session has ended; the impersonation is removed from the browser anyway.
 */
async function restoreSession(
  service: Service,
  { claims }: LiveSession,
  req: Request,
  res: Response,
): Promise<void> {
  const tools = service[internals];
  const { tokens } = tools.sessions;
  // Another cookie of this name can stand before it.
  const token = readCookies(req, ownSessionCookie).find(
    (each) => tokens.claimsOf(each)?.sub === claims.act?.sub,
  );
  clearCookie(tools, req, res, ownSessionCookie, { path: baseOf(req) || '/' });
  clearCookie(tools, req, res, tools.cookie.name);
  clearAdminPath(service, req, res);
  if (token === undefined) {
    // The cookie of a bound session is short-lived: the browser replaces it, now that it has none.
    const wasBound = readCookies(req, ownSessionCookie).some((each) => {
      const own = tokens.claimsAtSignOut(each);
      return own?.bound === true && own.sub === claims.act?.sub;
    });
    if (wasBound) return;
    throw new TokenInvalidError(because('impersonation_missing'));
  }
  const { session, user, ...own } = await tools.sessions.authenticate(token);
  // Another administrator's session, or an impersonation, is not the one to return to.
  if (!session || user.id !== claims.act?.sub || own.claims.act)
    throw new TokenInvalidError(because('impersonation_missing'));
  setSessionCookie(tools, req, res, { token, session });
}
