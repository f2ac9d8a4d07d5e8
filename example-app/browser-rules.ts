/** Security headers for the application's own pages. The pages of the package set theirs. */
import type { RequestHandler } from 'express';

const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "frame-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * Sets the security headers, and redirects requests for another host to the origin of this site.
 *
 * @param origin of this site. Cookies and callback URLs belong to it.
 */
export function browserRules(origin: string): RequestHandler {
  const { host } = new URL(origin);
  return (req, res, next) => {
    // Also prevents a foreign domain that resolves to 127.0.0.1 (DNS rebinding) from reading the inbox.
    if (req.headers.host !== host) return res.redirect(307, origin + req.originalUrl);
    res.set({
      'Content-Security-Policy': contentSecurityPolicy,
      'X-Content-Type-Options': 'nosniff',
      // Not `no-referrer`: browsers would send `Origin: null` with forms, and the origin check would refuse them.
      'Referrer-Policy': 'same-origin',
      'Cache-Control': 'no-store',
    });
    next();
  };
}
