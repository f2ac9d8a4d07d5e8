/** The handshake of a socket as a request, so that the checks of requests are those of messages. */
import type { Request } from 'express';
import { InternalError } from '../errors/catalog.js';
import { handshakeRequest, type Handshake } from '../http/handshake.js';

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

const noHandshake = () =>
  new InternalError(
    undefined,
    'A socket has no session: call SvcAuthSockets.connect(client, request) in handleConnection(client, request).',
  );
