/** A client of both kinds of sockets. */
import { packageOfNest } from '../../support/nest-applications.js';

export interface SocketClient {
  /** Sends a message, and returns the data of the next event with a name. */
  ask(event: string, data: unknown, reply: string): Promise<unknown>;
  next(event: string): Promise<unknown>;
  /** The code of `ws`, or the reason of Socket.IO. */
  closed: Promise<unknown>;
  close(): void;
}

interface PlainSocket {
  on(event: string, listener: (value: unknown) => void): void;
  once(event: string, listener: (value: unknown) => void): void;
  send(text: string): void;
  close(): void;
}

interface IoSocket {
  on(event: string, listener: (value: unknown) => void): void;
  onAny(listener: (event: string, value: unknown) => void): void;
  emit(event: string, data: unknown): void;
  disconnect(): void;
}

/** Resolves when the socket is open. */
export function connect(
  kind: 'ws' | 'socket.io',
  url: string,
  headers: Record<string, string>,
  token?: string,
): Promise<SocketClient> {
  return kind === 'ws' ? connectPlain(`${url}/live`, headers) : connectIo(url, headers, token);
}

/** Opens a socket of `ws`. @param url of http. */
export async function connectPlain(url: string, headers: Record<string, string>): Promise<SocketClient> {
  const { WebSocket } = packageOfNest<{ WebSocket: new (url: string, options: object) => PlainSocket }>('ws');
  const socket = new WebSocket(url.replace('http', 'ws'), { headers });
  const events = new Events();
  socket.on('message', (message) => {
    const { event, data } = JSON.parse(String(message)) as { event: string; data: unknown };
    events.add(event, data);
  });
  const closed = new Promise<unknown>((resolve) => socket.once('close', resolve));
  await new Promise<unknown>((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  const send = (event: string, data: unknown) => socket.send(JSON.stringify({ event, data }));
  return clientOf(events, closed, send, () => socket.close());
}

async function connectIo(
  url: string,
  headers: Record<string, string>,
  token?: string,
): Promise<SocketClient> {
  const { io } = packageOfNest<{ io: (url: string, options: object) => IoSocket }>('socket.io-client');
  const auth = token === undefined ? {} : { token };
  const socket = io(url, { extraHeaders: headers, auth, reconnection: false, forceNew: true });
  const events = new Events();
  socket.onAny((event, value) => events.add(event, value));
  const closed = new Promise<unknown>((resolve) => socket.on('disconnect', resolve));
  await new Promise<unknown>((resolve, reject) => {
    socket.on('connect', resolve);
    socket.on('connect_error', reject);
  });
  return clientOf(
    events,
    closed,
    (event, data) => socket.emit(event, data),
    () => socket.disconnect(),
  );
}

function clientOf(
  events: Events,
  closed: Promise<unknown>,
  send: (event: string, data: unknown) => void,
  close: () => void,
): SocketClient {
  return {
    closed,
    close,
    next: (event) => events.next(event),
    ask: (event, data, reply) => {
      send(event, data);
      return events.next(reply);
    },
  };
}

/** Keeps events until they are taken. */
class Events {
  private readonly kept: { event: string; data: unknown }[] = [];
  private waiting: (() => void) | undefined;

  add(event: string, data: unknown): void {
    this.kept.push({ event, data });
    this.waiting?.();
  }

  async next(name: string): Promise<unknown> {
    for (;;) {
      const index = this.kept.findIndex(({ event }) => event === name);
      if (index !== -1) return this.kept.splice(index, 1)[0]?.data;
      await new Promise<void>((resolve) => {
        this.waiting = resolve;
      });
    }
  }
}
