/**
 * The page that asks for a confirmation before a link signs in, in another browser than the one that
 * asked for it (docs/decisions/link-confirmation.md). It runs no script and contains no secret. With
 * `svc-auth/pages`, it is one of their pages.
 */
import type { Request, Response } from 'express';
import { randomToken } from '../crypto/random.js';
import type { Service } from '../engine/service.js';
import { internals, isOfHost } from '../core/internals.js';
import type { Html } from '../html/html.js';
import type { LinkToConfirm } from '../providers/magic-link/magic-link.js';
import { isOwnOrigin } from './origin-check.js';
import { aroundAddress, phrase } from '../core/mail/mail-phrases.js';
import { plainLinkPage, setPlainHeaders } from './plain-link-page.js';
import type { Redirects } from './redirects.js';
import { languageOf } from './request-context.js';
import { readCookie, setCookie } from './session-cookie.js';

/** How long the page can be open before its button shows it again. */
const ttlMs = 60 * 60_000;

/**
 * Sets the headers and the cookie of the page, and returns it. Its form posts to the page's own URL,
 * which contains the link's token, whatever proxies and mail filters have made of that URL.
 * @param options.language that was chosen in the menu of the page, with a form that `isConfirmed` accepts: no other site chooses it.
 */
export async function confirmationPage(
  service: Service,
  req: Request,
  res: Response,
  token: string,
  { email, appName }: LinkToConfirm,
  options: { redirects: Pick<Redirects, 'formTargets'>; language: string | null },
): Promise<Html> {
  const tools = service[internals];
  const { redirects, language: chosen } = options;
  const proof = proofOf(service, req, res, token);
  const formTargets = redirects.formTargets();
  const pages = tools.pageTargets;
  if (pages.linkConfirmation)
    return pages.linkConfirmation(req, res, { email, proof, formTargets, language: chosen });
  const language = languageOf(service, req);
  const texts = await tools.languages.textsFor(language);
  setPlainHeaders(res, formTargets);
  res.vary('Accept-Language');
  const { ignore, lead, submit, title } = texts.linkConfirmation;
  return plainLinkPage(
    { language, texts },
    {
      title: title({ app: phrase({ language, texts }, appName) }),
      lead: aroundAddress(lead),
      email,
      form: { proof, submit, ignore },
    },
  );
}

/** Sets the cookie of the page of a link, and returns what its form contains as proof that this browser shows it. */
export function proofOf(service: Service, req: Request, res: Response, token: string): string {
  const tools = service[internals];
  // The same for all tabs of a browser, so that each of them can be confirmed.
  const visitor = readVisitor(service, req) ?? randomToken();
  const expiresAt = new Date(tools.clock() + ttlMs);
  const attributes = { sameSite: 'lax', path: '/', domain: undefined } as const;
  setCookie(tools, req, res, cookieName(service), visitor, expiresAt, attributes);
  return tools.formTokens.issueVisitorToken(visitor, token);
}

/**
 * Returns whether a user has pressed the button of the page in this browser: the page of another
 * site must not sign the user in to the attacker's account.
 */
export function isConfirmed(service: Service, req: Request, token: string, form: URLSearchParams): boolean {
  const { origin, 'sec-fetch-site': site = 'same-origin' } = req.headers;
  if (site !== 'same-origin') return false;
  // The page's own origin is `null`, because its referrer policy hides it.
  if (origin !== undefined && origin !== 'null' && !isOwnOrigin(origin, req)) return false;
  if (isWithoutGesture(req)) return false;
  const visitor = readVisitor(service, req);
  const proof = form.get('proof') ?? '';
  return visitor !== undefined && service[internals].formTokens.isValidForVisitor(visitor, token, proof);
}

/**
 * Returns whether a script has submitted the form. Chromium, which most scanners use, reports whether
 * a user started a navigation. Not every browser does.
 */
function isWithoutGesture({ headers }: Request): boolean {
  return headers['sec-ch-ua'] !== undefined && headers['sec-fetch-mode'] === 'navigate'
    ? headers['sec-fetch-user'] === undefined
    : false;
}

function readVisitor(service: Service, req: Request): string | undefined {
  const visitor = readCookie(req, cookieName(service));
  return visitor !== undefined && /^[\w-]{43}$/.test(visitor) ? visitor : undefined;
}

function cookieName(service: Service): string {
  return isOfHost(service[internals].cookie.name) ? '__Host-svc_link_form' : 'svc_link_form';
}
