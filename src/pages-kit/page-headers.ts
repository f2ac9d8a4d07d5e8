/** The response headers of the pages and of their files. */
import type { Response } from 'express';
import { setResponseHeaders } from '../http/respond.js';

/**
 * Nothing inline, nothing of another site, no frames: a script in a user's name, should it ever get into a page, would not run, and
 * no page of another site can show this one to trick a user into a click.
 */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "font-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  // The one policy of the script of `svc-auth/pages`, for pages of this site that it has fetched.
  'trusted-types svc-auth',
].join('; ');

/** Replaces headers that the application has set, so that the policy does not depend on it. */
export function setPageHeaders(res: Response): void {
  setResponseHeaders(res);
  setFileHeaders(res);
  // Browsers send `Origin: null` with a form if the policy is `no-referrer`; no other site gets the address of a page.
  res.setHeader('Referrer-Policy', 'same-origin');
  res.setHeader('X-Frame-Options', 'DENY');
  res.setHeader('Cross-Origin-Opener-Policy', 'same-origin');
}

/**
 * Lets a page show pictures of other sites, and load nothing else from them.
 * @param sources checked by the options of the service. A path belongs to this site, whose pictures every page may show.
 */
export function allowPictures(res: Response, sources: readonly string[]): void {
  const remote = sources.filter((source) => !source.startsWith('/'));
  const widened = policyOf(res).map((directive) =>
    directive.startsWith('img-src ') ? [directive, ...remote].join(' ') : directive,
  );
  res.setHeader('Content-Security-Policy', widened.join('; '));
}

/**
 * Lets a page load a captcha of other origins. Scripts of others do not use the policy for trusted types.
 * @param origins checked by the options of the pages.
 */
export function allowOrigins(res: Response, origins: readonly string[]): void {
  const widened = policyOf(res)
    .filter((directive) => !directive.includes('trusted-types'))
    .map((directive) =>
      directive.includes(" 'self'") && !directive.startsWith('form-')
        ? [directive, ...origins].join(' ')
        : directive,
    );
  res.setHeader('Content-Security-Policy', [...widened, ['frame-src', ...origins].join(' ')].join('; '));
}

/** The directives that have been set. */
function policyOf(res: Response): string[] {
  const policy = res.getHeader('Content-Security-Policy');
  return (typeof policy === 'string' ? policy : contentSecurityPolicy).split('; ');
}

/**
 * Replaces the headers of a page for one whose address contains a mailed link: it runs no script, and no request that it causes contains the
 * address.
 * @param formTargets origins to which its form may be redirected.
 */
export function setLinkPageHeaders(res: Response, formTargets: readonly string[]): void {
  const narrowed = policyOf(res)
    .filter((directive) => !/^(?:script-src|connect-src|require-trusted|trusted-types)/.test(directive))
    .map((directive) =>
      directive.startsWith('form-action') ? [directive, ...formTargets].join(' ') : directive,
    );
  res.setHeader('Content-Security-Policy', narrowed.join('; '));
  res.setHeader('Referrer-Policy', 'no-referrer');
  res.setHeader('X-Robots-Tag', 'noindex, nofollow');
}

export function setFileHeaders(res: Response): void {
  res.setHeader('Content-Security-Policy', contentSecurityPolicy);
  res.setHeader('X-Content-Type-Options', 'nosniff');
  res.setHeader('Cross-Origin-Resource-Policy', 'same-origin');
}
