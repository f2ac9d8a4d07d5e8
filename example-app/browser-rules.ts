/** What the browser is told about every page. Copy this; most of it is worth having anywhere. */
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

/** @param origin the one address of this site: cookies and callback URLs belong to it, so others are sent there. */
export function browserRules(origin: string): RequestHandler {
  const { host } = new URL(origin);
  return (req, res, next) => {
    // Also keeps a foreign name that points to 127.0.0.1 (DNS rebinding) from reading the inbox.
    if (req.headers.host !== host) return res.redirect(307, origin + req.originalUrl);
    res.set({
      'Content-Security-Policy': contentSecurityPolicy,
      'X-Content-Type-Options': 'nosniff',
      // The reset page has a secret in its address.
      'Referrer-Policy': 'no-referrer',
      'Cache-Control': 'no-store',
    });
    next();
  };
}
