/** What every response of the routes has in common. */
import type { Response } from 'express';
import type { Html } from '../html/html.js';

/**
 * Responses contain sessions and users: no cache may store them, and no referrer may pass a token
 * on.
 */
export function setResponseHeaders(res: Response): void {
  res.setHeader('Cache-Control', 'no-store');
  res.setHeader('Referrer-Policy', 'no-referrer');
  res.setHeader('X-Content-Type-Options', 'nosniff');
  // `res.vary` parses the header, which is needed only if the application has set it.
  if (res.hasHeader('Vary')) res.vary('Cookie');
  else res.setHeader('Vary', 'Cookie');
}

/** Sends JSON without an ETag: the response is `no-store`, so an ETag would have no use. */
export function sendJson(res: Response, body: unknown, status = 200): void {
  res.setHeader('Content-Type', 'application/json; charset=utf-8');
  // A new property makes every later access slower (docs/performance.md), and 200 is the default.
  if (res.statusCode !== status) res.statusCode = status;
  res.end(JSON.stringify(body));
}

/** Sends a page without an ETag, like JSON. */
export function sendPage(res: Response, page: Html, status = 200): void {
  res.statusCode = status;
  res.setHeader('Content-Type', 'text/html; charset=utf-8');
  res.end(page.text);
}
