/** The handshake of a socket as a request, so that the checks of requests are those of messages. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Request } from 'express';
import { InternalError } from '../errors/catalog.js';

/** What is read of the request that opened a socket. */
export interface Handshake {
  headers: IncomingHttpHeaders;
  url?: string | undefined;
  socket?: { encrypted?: boolean; remoteAddress?: string | undefined };
}

/** A socket of Socket.IO has its handshake. One of `ws` has none. */
interface SocketIOClient {
  request?: Handshake;
  handshake?: { auth?: Record<string, unknown> };
}

const remembered = Symbol('svc-auth.handshake');
type Remembering = { [remembered]?: Request };

/** Remembers the request that opened a socket, for its messages. Returns it in the form that the checks read. */
export function rememberHandshake(client: object, handshake?: Handshake): Request {
  const { request = handshake, handshake: { auth } = {} } = client as SocketIOClient;
  if (!request) throw noHandshake();
  const req = handshakeRequest(request, auth?.['token']);
  Object.defineProperty(client, remembered, { value: req, configurable: true });
  return req;
}

/** As `handshakeOf`, for the log: an empty request if there is none. */
export function handshakeForLog(client: object): Request {
  const isKnown = remembered in client || (client as SocketIOClient).request !== undefined;
  return isKnown ? handshakeOf(client) : handshakeRequest({ headers: {} });
}

/** @throws InternalError if the gateway has not passed on the request of a socket of `ws`. */
export function handshakeOf(client: object): Request {
  return (client as Remembering)[remembered] ?? rememberHandshake(client);
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

const noHandshake = () =>
  new InternalError(
    undefined,
    'A socket has no session: call SvcAuthSockets.connect(client, request) in handleConnection(client, request).',
  );
