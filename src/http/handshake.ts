/** The handshake of a socket as a request, so that the checks of requests are those of sockets. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Request } from 'express';

/** A symbol, so that no client can set it. Registered, so that two copies of the package share it. */
const original: unique symbol = Symbol.for('svc-auth.originalRequest');

/** What is read of the request that opened a socket. */
export interface Handshake {
  headers: IncomingHttpHeaders;
  url?: string | undefined;
  /** Of Express, whose routers shorten `url`. */
  originalUrl?: string | undefined;
  socket?: { encrypted?: boolean; remoteAddress?: string | undefined };
}

/** Makes `copy` count as the request that it was made of: what a request may do once, all its copies do once. */
export function markCopy(copy: object, request: object): void {
  Object.defineProperty(copy, original, { value: originalOf(request) });
}

/** Returns the request of which a copy was made, or the request itself. */
export function originalOf(request: object): object {
  return (request as { [original]?: object })[original] ?? request;
}

/** @param token sent in the handshake instead of a header, which browsers cannot set for a socket. */
export function handshakeRequest(handshake: Handshake, token?: unknown): Request {
  const { headers, url = '/', originalUrl = url, socket } = handshake;
  const { 'sec-fetch-site': site, ...others } = headers;
  const own = {
    ...others,
    // Browsers differ in what they call a socket of the same site. They always send the origin of its page.
    ...(headers.origin === undefined && site !== undefined && { 'sec-fetch-site': site }),
    ...(typeof token === 'string' && token !== '' && { authorization: `Bearer ${token}` }),
  };
  const secure = socket?.encrypted === true;
  const request = {
    headers: own,
    method: 'GET',
    url,
    originalUrl,
    baseUrl: '',
    path: url.split('?')[0],
    secure,
    protocol: secure ? 'https' : 'http',
    hostname: headers.host?.replace(/:\d+$/, ''),
    ip: socket?.remoteAddress,
    params: {},
    query: {},
    get: (name: string) => (own as IncomingHttpHeaders)[name.toLowerCase()],
  };
  markCopy(request, handshake);
  return request as unknown as Request;
}
