/** The handshake of a socket as a request, so that the checks of requests are those of sockets. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Request } from 'express';

/** What is read of the request that opened a socket. */
export interface Handshake {
  headers: IncomingHttpHeaders;
  url?: string | undefined;
  socket?: { encrypted?: boolean; remoteAddress?: string | undefined };
}

/** @param token sent in the handshake instead of a header, which browsers cannot set for a socket. */
export function handshakeRequest({ headers, url = '/', socket }: Handshake, token?: unknown): Request {
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
    originalUrl: url,
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
  return request as unknown as Request;
}
