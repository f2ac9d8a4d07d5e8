/**
 * Binds the authorization response of an identity provider to the browser that started the sign-in
 * or the link. A browser can have started several, one per tab; the `state` of the response
 * identifies its transaction. The storage ensures single use.
 */
import type { Request, Response } from 'express';
import { sha256 } from '../crypto/digest.js';
import type { Service } from '../engine/service.js';
import { internals, isOfHost } from '../core/internals.js';
import type { StartedRedirect } from '../providers/oauth/authorization-flow.js';
import { readCeremonies, writeCeremonies, type CeremonyCookie } from './ceremony-cookie.js';

interface Provider {
  readonly redirectUri: string;
}

/** Adds a transaction to the cookie. */
export function keepTransaction(
  service: Service,
  req: Request,
  res: Response,
  provider: Provider,
  { state, transaction }: StartedRedirect,
): void {
  const cookie = cookieOf(service, provider);
  const entries = [...readCeremonies(req, cookie), prefixOf(state) + transaction];
  writeCeremonies(service[internals], req, res, cookie, entries);
}

/**
 * Returns the transaction of an authorization response and removes it from the cookie. Returns
 * undefined and changes nothing if this browser has not started it: a page of another site can send
 * the browser to the callback.
 */
export function takeTransaction(
  service: Service,
  req: Request,
  res: Response,
  provider: Provider,
  response: URLSearchParams,
): string | undefined {
  const cookie = cookieOf(service, provider);
  const entries = readCeremonies(req, cookie);
  const prefix = prefixOf(response.get('state') ?? '');
  const entry = entries.find((each) => each.startsWith(prefix));
  if (entry === undefined) return undefined;
  const others = entries.filter((each) => each !== entry);
  writeCeremonies(service[internals], req, res, cookie, others);
  return entry.slice(prefix.length);
}

const prefixOf = (state: string) => `${sha256(state).slice(0, 16)}.`;

function cookieOf(service: Service, { redirectUri }: Provider): CeremonyCookie {
  const isHostOnly = isOfHost(service[internals].cookie.name);
  return {
    // Limited to this host if the session cookie is: otherwise a sibling subdomain could set the
    // cookie and sign the user in to the attacker's account.
    name: isHostOnly ? '__Host-svc_oauth' : 'svc_oauth',
    // A digest of the state, then the transaction, which is a signed token.
    entry: /^[\w-]{16}\.[\w-]+\.[\w-]+$/,
    separator: '~',
    max: 5,
    ttlMs: 10 * 60_000,
    // Not strict, because the callback is a navigation from another site.
    attributes: { sameSite: 'lax', path: isHostOnly ? '/' : routesPath(redirectUri), domain: undefined },
  };
}

/**
 * Returns the path of the routes in the browser, which must send the cookie to both the start and
 * the callback. Only the configuration knows it. Returns `/` if the callback is a foreign
 * route.
 */
function routesPath(redirectUri: string): string {
  const { pathname } = new URL(redirectUri);
  const [, base] = /^(.*)\/(?:google|idp|oauth\/[^/]+)\/callback\/?$/.exec(pathname) ?? [];
  return base || '/';
}
