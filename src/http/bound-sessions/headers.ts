/**
 * The headers and the JSON of the W3C draft Device Bound Session Credentials, as Chromium speaks it. With core/sessions/bound-proofs.ts,
 * all that knows the draft: a change of it is made here.
 */
import type { Request, Response } from 'express';
import { bindingAlgorithms } from '../../core/sessions/bound-proofs.js';

/** Paths of the two endpoints, after that of the router. */
export const registrationPath = '/session/bound';
export const refreshPath = '/session/bound/refresh';

/** Asks the browser to create a key and to register it. */
export function offerRegistration(res: Response, path: string, challenge: string): void {
  const value = `(${bindingAlgorithms.join(' ')});path="${path}${registrationPath}";challenge="${challenge}"`;
  res.setHeader('Secure-Session-Registration', value);
}

/** Takes the offer back, if the response has one. */
export function withdrawRegistration(res: Response): void {
  res.removeHeader('Secure-Session-Registration');
}

/** Asks for another proof, if the status is 403. */
export function setChallenge(res: Response, bindingId: string, challenge: string): void {
  res.setHeader('Secure-Session-Challenge', `"${challenge}";id="${bindingId}"`);
}

/** Returns the signed proof of a request. */
export function readProof(req: Request): string | undefined {
  return readString(req.headers['secure-session-response']);
}

/**
 * Whether the browser has sent a request by itself. A script can add the header of a proof in the modes `cors` and `same-origin` alone, and
 * cannot set or remove the header that names the mode (Fetch, "request-no-cors" and forbidden headers). Chromium registers keys with
 * `no-cors`, and sends the header to every site with TLS. A request without it is that of a program or of a browser that does not name
 * modes, in which a script could register its key.
 */
export function isOfBrowser({ headers }: Request): boolean {
  return headers['sec-fetch-mode'] === 'no-cors';
}

/** Longer than a UUID. */
const maxIdLength = 64;

/** Returns the session that the browser wants to refresh. Undefined if it cannot be one. */
export function readBindingId(req: Request): string | undefined {
  const id = readString(req.headers['sec-secure-session-id']);
  // The challenge of the response repeats it.
  return id !== undefined && id.length <= maxIdLength ? id : undefined;
}

/** Reads a string of a structured field (RFC 9651, 3.3.3), of which neither value needs an escape. Chromium sends them without quotes too. */
function readString(header: string | string[] | undefined): string | undefined {
  if (typeof header !== 'string') return undefined;
  return /^\s*(?:"([\w.-]+)"|([\w.-]+))\s*(?:;.*)?$/.exec(header)?.slice(1).find(Boolean);
}

/** The cookie that the browser replaces: all of these attributes must equal those that are set. */
interface BoundCookie {
  name: string;
  path: string;
  sameSite: string;
  isSecure: boolean;
}

/** Returns what the browser stores: which cookie it replaces, and where. The endpoints do not wait for a refresh. */
export function sessionInstructions(bindingId: string, path: string, cookie: BoundCookie): object {
  const exclude = (excluded: string) => ({ type: 'exclude', domain: '*', path: `${path}${excluded}` });
  return {
    session_identifier: bindingId,
    refresh_url: `${path}${refreshPath}`,
    scope: { include_site: false, scope_specification: [exclude(registrationPath)] },
    // A link of another site leads to a page too. Of its other requests, those without the cookie anyway cause no refresh (SameSite).
    allowed_refresh_initiators: ['*'],
    credentials: [{ type: 'cookie', name: cookie.name, attributes: attributesOf(cookie) }],
  };
}

function attributesOf({ path, sameSite, isSecure }: BoundCookie): string {
  const site = `${sameSite.slice(0, 1).toUpperCase()}${sameSite.slice(1)}`;
  return [`Path=${path}`, ...(isSecure ? ['Secure'] : []), 'HttpOnly', `SameSite=${site}`].join('; ');
}
