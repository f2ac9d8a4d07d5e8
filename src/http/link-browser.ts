/**
 * The `svc_link` cookie of a browser that has asked for links: in this browser they sign in without
 * a confirmation (docs/decisions/link-confirmation.md).
 */
import type { Request, Response } from 'express';
import { sha256 } from '../crypto/digest.js';
import type { Service } from '../engine/service.js';
import { internals, isOfHost } from '../core/internals.js';
import type { SentLink } from '../providers/magic-link/magic-link.js';
import { readCeremonies, writeCeremonies, type CeremonyCookie } from './ceremony-cookie.js';
import { checkService } from './check-service.js';

/**
 * Sets the cookie by which this browser opens the link without a confirmation, as
 * `POST /magic-link/send` does. For an application that sends links from its own route, with
 * `magicLink: { confirmElsewhere: true }`; has no effect without that option. Call it before you
 * respond.
 * @param sent the result of `magicLink.sendLink`.
 * @throws ConfigError if the first argument is not a service.
 */
export function rememberLinkBrowser(
  service: Service,
  req: Request,
  res: Response,
  link: Pick<SentLink, 'browserToken' | 'expiresAt'>,
): void {
  checkService(service, 'rememberLinkBrowser');
  const { browserToken, expiresAt } = link;
  if (browserToken === undefined) return;
  const tools = service[internals];
  const cookie = cookieOf(service, expiresAt.getTime() - tools.clock());
  writeCeremonies(tools, req, res, cookie, [...readCeremonies(req, cookie), browserToken]);
}

/**
 * Returns the tokens of the links that this browser has asked for. Returns none if the link is not
 * opened as a page: an image or a frame must not sign anyone in.
 */
export function readLinkBrowser(service: Service, req: Request): string[] {
  const { 'sec-fetch-mode': mode = 'navigate', 'sec-fetch-dest': destination = 'document' } = req.headers;
  if (mode !== 'navigate' || destination !== 'document') return [];
  return readCeremonies(req, cookieOf(service, 0));
}

/** Names a link without its secret: for a browser that keeps what it does after the link. */
export function nameOfLink(token: string): string {
  return sha256(`name ${token}`).slice(0, 22);
}

function cookieOf(service: Service, ttlMs: number): CeremonyCookie {
  return {
    name: isOfHost(service[internals].cookie.name) ? '__Host-svc_link' : 'svc_link',
    entry: /^[\w-]{43}$/,
    separator: '.',
    max: 5,
    ttlMs,
    // Not strict, because the mail is on another site; never none, which would send it with frames.
    attributes: { sameSite: 'lax', path: '/', domain: undefined },
  };
}
