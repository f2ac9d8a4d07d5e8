/** The pages for requests that are refused, or that fail. */
import type { Request, Response } from 'express';
import type { ServiceErrorCode } from '../errors/service-error.js';
import { html, type Html } from '../html/html.js';
import { statusOf, toServiceError } from '../http/error-handler.js';
import { isTarget } from '../http/redirects.js';
import { refusalOf, setReason } from '../http/refusal.js';
import { internals } from '../core/internals.js';
import { describeError } from '../core/support/logger.js';
import { impersonationPath } from '../pages-kit/impersonation-cookie.js';
import { setPageHeaders } from '../pages-kit/page-headers.js';
import { sendPage, seeOther } from '../pages-kit/page-router.js';
import { tokenField } from '../pages-kit/session-form.js';
import { assets } from './assets.js';
import { notice } from './layout.js';
import type { Settings } from './options.js';
import type { AdminTexts } from './texts/texts.js';
import { signOutPath } from './sign-out.js';

/** Sends the page for an error, and logs it as the routes do. */
export function sendErrorPage(settings: Settings, error: unknown, req: Request, res: Response): void {
  const serviceError = toServiceError(error, req, settings.service[internals]);
  const { code } = serviceError;
  const signInPath = signInTarget(settings, req);
  if (code === 'token_invalid' && req.method !== 'POST' && signInPath !== null)
    return seeOther(res, signInPath);
  const base = baseOf(req);
  const refusal = refusalOf(serviceError);
  if (refusal === 'impersonation') return seeOther(res, `${base}${impersonationPath}`);
  const spoken = settings.languages.ofRequest(req);
  const { errors } = spoken.texts;
  const shown = (refusal === 'form_token' ? 'formExpired' : pageOf[code]) ?? 'failed';
  const { title, text } = errors.pages[shown];
  const back = `${base}${backPath(req, serviceError)}`;
  const caller = shown === 'noAccess' ? signedInAs(settings, spoken.texts, req) : null;
  const links = linksFor(code, spoken.texts, { signInPath, homeUrl: settings.homeUrl, back });
  const body = html`<p>${text}</p>
    ${caller?.account}
    <div class="buttons">${caller?.signOut} ${links}</div>`;
  setReason(res, serviceError);
  res.vary('Accept-Language');
  sendPage(res, notice({ assets, base, name: settings.name, ...spoken }, title, body), statusOf(code));
}

/** Sends the page for an address that no page has, to anyone: it reveals nothing. */
export function sendNotFound(settings: Settings, req: Request, res: Response): void {
  setPageHeaders(res);
  res.vary('Accept-Language');
  const base = baseOf(req);
  const spoken = settings.languages.ofRequest(req);
  const { pages, toUsers } = spoken.texts.errors;
  const body = html`<p>${pages.notFound.text}</p>
    <p class="buttons"><a class="button" href="${base}/users">${toUsers}</a></p>`;
  sendPage(res, notice({ assets, base, name: settings.name, ...spoken }, pages.notFound.title, body), 404);
}

type Shown = keyof AdminTexts['errors']['pages'];

const pageOf: Partial<Record<ServiceErrorCode, Shown>> = {
  token_invalid: 'signIn',
  reauth_required: 'confirm',
  not_authorized: 'noAccess',
  user_not_found: 'userNotFound',
  invalid_request: 'invalid',
  provider_not_configured: 'notConfigured',
  license_required: 'license',
  adapter_capability: 'storage',
};

function linksFor(
  code: ServiceErrorCode,
  { errors, toApp }: AdminTexts,
  { signInPath, homeUrl, back }: { signInPath: string | null; homeUrl: string; back: string },
): Html {
  const isSignIn = code === 'token_invalid' || code === 'reauth_required';
  const signIn =
    isSignIn &&
    signInPath !== null &&
    html`<a class="button primary" href="${signInPath}"
      >${code === 'token_invalid' ? errors.signIn : errors.signInAgain}</a
    >`;
  const isInside = !['token_invalid', 'not_authorized'].includes(code) || back.includes('/users/');
  return html`${signIn}
  ${
    isInside && code !== 'token_invalid'
      ? html`<a class="button" href="${back}">${back.endsWith('/users') ? errors.toUsers : errors.toUser}</a>`
      : html`<a class="button" href="${homeUrl}">${toApp}</a>`
  }`;
}

/** The account that has no access, and the button that signs it out. Null without a session. */
function signedInAs(
  { service }: Settings,
  { errors, names }: AdminTexts,
  req: Request,
): { account: Html; signOut: Html } | null {
  const { svcAuth, user } = req;
  if (!svcAuth || !user || svcAuth.claims.act) return null;
  const formToken = service[internals].formTokens.issueToken(svcAuth);
  const who = user.email ?? names.user(user.id.slice(-8));
  return {
    account: html`<p>${errors.signedInAs(html`<bdi class="strong">${who}</bdi>`)}</p>`,
    signOut: html`<form method="post" action="${baseOf(req)}${signOutPath}">
      <input type="hidden" name="${tokenField}" value="${formToken}" />
      <button>${errors.signOut}</button>
    </form>`,
  };
}

/** The path at which the pages are mounted. More than one slash at the start would name another site. */
export function baseOf(req: Request): string {
  return req.baseUrl.replace(/^[/\\]+/, '/').replace(/\/$/, '');
}

/** Null without `signInUrl`, or if it fails or returns no target: the page then asks to sign in, without a link. */
function signInTarget({ service, signInUrl }: Settings, req: Request): string | null {
  if (!signInUrl) return null;
  const { logger } = service[internals];
  try {
    const target: unknown = signInUrl(returnPath(req));
    if (isTarget(target)) return target;
    logger.error({ event: 'sign_in_url_invalid' }, 'signInUrl returned neither a path nor an http(s) URL');
  } catch (error) {
    logger.error({ event: 'sign_in_url_failed', err: describeError(error) }, 'signInUrl failed');
  }
  return null;
}

/** The page to return to after a sign-in: a form has the path to which it posts. */
function returnPath(req: Request): string {
  return req.originalUrl.replace(/^[/\\]+/, '/');
}

/** The page of the user, or the list. */
function backPath({ path }: Request, { code }: { code: ServiceErrorCode }): string {
  const user = /^\/users\/[0-9a-f-]{36}(?=\/)/.exec(path)?.[0];
  return user !== undefined && code !== 'user_not_found' ? user : '/users';
}
