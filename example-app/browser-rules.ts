/** Security headers for every page. Copy this file: most of it suits any application. */
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
      // The URL of the reset page contains a secret.
      'Referrer-Policy': 'no-referrer',
      'Cache-Control': 'no-store',
    });
    next();
  };
}
