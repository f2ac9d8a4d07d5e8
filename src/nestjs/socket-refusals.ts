/** How a client of a socket learns of a refusal: by the event `exception`, which Nest uses for its own. */
import type { ErrorBody } from '../http/error-handler.js';

/** A socket of Socket.IO, or one of `ws`. */
interface AnySocket {
  emit?(event: string, body: unknown): unknown;
  disconnect?(close: boolean): unknown;
  send?(text: string): unknown;
  close?(code: number, reason: string): unknown;
}

/** Of `ws`: 4000 and the status, because applications may use the codes from 4000 (RFC 6455, 7.4.2). */
const closeCode = (status: number) => 4000 + status;

export function sendRefusal(client: object, body: ErrorBody): void {
  const socket = client as AnySocket;
  const data = { status: 'error', ...body };
  // `emit` of a socket of `ws` sends nothing: it calls the handlers of the server.
  if (socket.disconnect) socket.emit?.('exception', data);
  else socket.send?.(JSON.stringify({ event: 'exception', data }));
}

/** Sends the reason and closes the socket. */
export function closeRefused(client: object, body: ErrorBody, status: number): void {
  const socket = client as AnySocket;
  sendRefusal(client, body);
  if (socket.disconnect) socket.disconnect(true);
  else socket.close?.(closeCode(status), body.error);
}
