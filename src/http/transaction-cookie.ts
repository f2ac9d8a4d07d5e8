/**
 * Ties the answer of an identity provider to the browser that began the sign-in or the link. A browser may have begun several, one
 * per tab: the `state` of the answer names its own. The storage makes sure that each is used once.
 */
import type { Request, Response } from 'express';
import { sha256 } from '../crypto/digest.js';
import type { Service } from '../engine/service.js';
import { internals, isOfHost } from '../kit/internals.js';
import type { StartedRedirect } from '../providers/oauth/authorization-flow.js';
import { readCeremonies, writeCeremonies, type CeremonyCookie } from './ceremony-cookie.js';

interface Provider {
  readonly redirectUri: string;
}

/** Adds a transaction to those that the browser has begun. */
export function keepTransaction(
  service: Service,
  req: Request,
  res: Response,
  provider: Provider,
  { state, transaction }: StartedRedirect,
): void {
  const cookie = cookieOf(service, provider);
  const begun = readCeremonies(req, cookie);
  writeCeremonies(service[internals], req, res, cookie, [...begun, prefixOf(state) + transaction]);
}

/**
 * Returns the transaction that an answer belongs to and removes it from the cookie. Returns undefined and changes nothing if this
 * browser has not begun it: a page of another site can send the browser to the callback.
 */
export function takeTransaction(
  service: Service,
  req: Request,
  res: Response,
  provider: Provider,
  answer: URLSearchParams,
): string | undefined {
  const cookie = cookieOf(service, provider);
  const begun = readCeremonies(req, cookie);
  const prefix = prefixOf(answer.get('state') ?? '');
  const taken = begun.find((each) => each.startsWith(prefix));
  if (taken === undefined) return undefined;
  const others = begun.filter((each) => each !== taken);
  writeCeremonies(service[internals], req, res, cookie, others);
  return taken.slice(prefix.length);
}

const prefixOf = (state: string) => `${sha256(state).slice(0, 16)}.`;

function cookieOf(service: Service, { redirectUri }: Provider): CeremonyCookie {
  const ofHost = isOfHost(service[internals].cookie.name);
  return {
    // If the session cookie is limited to this host, so is this one: a sibling subdomain could plant its own and sign the visitor in
    // as the attacker.
    name: ofHost ? '__Host-svc_oauth' : 'svc_oauth',
    // A digest of the state, and the transaction, which is a signed token.
    entry: /^[\w-]{16}\.[\w-]+\.[\w-]+$/,
    separator: '~',
    max: 5,
    ttlMs: 10 * 60_000,
    // Lax, because the callback is a navigation from another site.
    attributes: { sameSite: 'lax', path: ofHost ? '/' : routesPath(redirectUri), domain: undefined },
  };
}

/**
 * The path of our routes as the browser sees it, which only the configuration knows: the start and the callback must both see the
 * cookie. The whole host if the callback has another address than ours.
 */
function routesPath(redirectUri: string): string {
  const { pathname } = new URL(redirectUri);
  const [, base] = /^(.*)\/(?:google|idp|oauth\/[^/]+)\/callback\/?$/.exec(pathname) ?? [];
  return base || '/';
}
