/**
 * The page that asks for a confirmation before a link signs in, in another browser than the one that
 * asked for it (docs/decisions/link-confirmation.md). It contains no script and no secret.
 */
import { createHash } from 'node:crypto';
import type { Request, Response } from 'express';
import { randomToken } from '../crypto/random.js';
import type { Service } from '../engine/service.js';
import { internals, isOfHost } from '../core/internals.js';
import { html, type Html } from '../html/html.js';
import type { LinkToConfirm } from '../providers/magic-link/magic-link.js';
import { phrase } from '../core/mail/mail-phrases.js';
import type { MailTexts } from '../core/mail/texts/en.js';
import { isOwnOrigin } from './origin-check.js';
import type { Redirects } from './redirects.js';
import { languageOf } from './request-context.js';
import { readCookie, setCookie } from './session-cookie.js';

/** How long the page can be open before its button shows it again. */
const ttlMs = 60 * 60_000;

/**
 * Sets the headers and the cookie of the page, and returns it. Its form posts to the page's own URL,
 * which contains the link's token, whatever proxies and mail filters have made of that URL.
 */
export async function confirmationPage(
  service: Service,
  req: Request,
  res: Response,
  token: string,
  { email, appName }: LinkToConfirm,
  redirects: Pick<Redirects, 'formTargets'>,
): Promise<Html> {
  const tools = service[internals];
  const language = languageOf(service, req);
  const texts = await tools.languages.textsFor(language);
  // The same for all tabs of a browser, so that each of them can be confirmed.
  const visitor = readVisitor(service, req) ?? randomToken();
  const expiresAt = new Date(tools.clock() + ttlMs);
  const attributes = { sameSite: 'lax', path: '/', domain: undefined } as const;
  setCookie(tools, req, res, cookieName(service), visitor, expiresAt, attributes);
  setHeaders(res, redirects.formTargets());
  const proof = tools.formTokens.issueVisitorToken(visitor, token);
  res.vary('Accept-Language');
  return page({ language, texts }, appName, email, proof);
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

function setHeaders(res: Response, formTargets: readonly string[]): void {
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(styleOf(styleElement)).digest('base64')}'`,
    // Browsers also check the target of the redirect that follows.
    `form-action ${["'self'", ...formTargets].join(' ')}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ];
  res.setHeader('Content-Security-Policy', policy.join('; '));
  res.setHeader('X-Frame-Options', 'DENY');
  res.setHeader('Cross-Origin-Opener-Policy', 'same-origin');
  res.setHeader('Cross-Origin-Resource-Policy', 'same-origin');
  res.setHeader('X-Robots-Tag', 'noindex, nofollow');
}

// A pressed button takes no second click: it would cancel the response that contains the session, and
// the link is used by then. A mouse or a finger leaves it focused, but not with `:focus-visible`.
const styleElement = html`<style>
  :root {
    color-scheme: light dark;
    font:
      16px/1.5 system-ui,
      -apple-system,
      'Segoe UI',
      Roboto,
      sans-serif;
  }
  body {
    margin: 0;
    padding: 32px 16px;
    color: #18181b;
    background: #f4f4f5;
  }
  main {
    max-width: 400px;
    margin: 0 auto;
    padding: 32px 24px;
    border-radius: 12px;
    background: #fff;
  }
  h1 {
    margin: 0 0 16px;
    font-size: 24px;
    line-height: 1.25;
  }
  p {
    margin: 0 0 16px;
    overflow-wrap: anywhere;
  }
  button {
    width: 100%;
    min-height: 48px;
    border: 0;
    border-radius: 8px;
    padding: 12px 20px;
    font: inherit;
    font-weight: 600;
    color: #fff;
    background: #18181b;
    cursor: pointer;
  }
  button:focus:not(:focus-visible):not(:active) {
    pointer-events: none;
  }
  button:focus-visible {
    outline: 3px solid #2563eb;
    outline-offset: 3px;
  }
  .hint {
    margin: 24px 0 0;
    font-size: 14px;
    color: #52525b;
  }
  @media (prefers-color-scheme: dark) {
    body {
      color: #f4f4f5;
      background: #09090b;
    }
    main {
      background: #18181b;
    }
    button {
      color: #18181b;
      background: #f4f4f5;
    }
    .hint {
      color: #a1a1aa;
    }
  }
</style>`;

/** Returns the content of the element, which the policy allows by its digest. */
function styleOf({ text }: Html): string {
  return text.slice('<style>'.length, -'</style>'.length);
}

/** @param proof shows that the form belongs to this browser and this link. */
function page(
  { language, texts }: { language: string; texts: MailTexts },
  appName: string,
  email: string,
  proof: string,
): Html {
  const { linkConfirmation: words, direction } = texts;
  const title = words.title({ app: phrase({ language, texts }, appName) });
  // The sentence around the address, which is bold.
  const [before, after] = words.lead('\0').split('\0');
  return html`<!doctype html>
    <html lang="${language}" dir="${direction}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        ${styleElement}
      </head>
      <body>
        <main>
          <h1>${title}</h1>
          <p>
            ${before}<strong><bdi>${email}</bdi></strong
            >${after}
          </p>
          <form method="post">
            <input type="hidden" name="proof" value="${proof}" />
            <button type="submit">${words.submit}</button>
          </form>
          <p class="hint">${words.ignore}</p>
        </main>
      </body>
    </html>`;
}
