/** The pages of a first visit, which are compressed. No other page is. */
import type { Request, Response } from 'express';
import type { Html } from '../html/html.js';
import { sendPage } from '../http/respond.js';
import { encodedPage, preferredEncoding } from './encodings.js';

/**
 * Sends a page, compressed if the browser has no cookie yet. The length of a compressed page reveals whether what an attacker puts into its
 * address repeats a secret of the page, character by character (BREACH). Without a cookie, the page contains nothing of this browser but
 * the token of its forms, which is another one in each response.
 */
export function sendFirstPage(req: Request, res: Response, page: Html, status: number): void {
  if (hasCookies(req)) return sendPage(res, page, status);
  res.vary('Accept-Encoding');
  const encoding = preferredEncoding(req.headers['accept-encoding']);
  if (encoding === 'identity') return sendPage(res, page, status);
  res.statusCode = status;
  res.setHeader('Content-Type', 'text/html; charset=utf-8');
  res.setHeader('Content-Encoding', encoding);
  res.end(encodedPage(page.text, encoding));
}

/** A host that passes no headers may pass cookies. */
function hasCookies({ cookies, headers }: Request): boolean {
  return headers.cookie !== undefined || Object.keys((cookies as object | undefined) ?? {}).length > 0;
}
