/** An application on Express 5 with a WebSocket of `ws`, Socket.IO and server-sent events, each of which ends with the session of its user. */
import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { Server as SocketServer } from 'socket.io';
import { io } from 'socket.io-client';
import { WebSocket, WebSocketServer } from 'ws';
import { createAuthRouter, requireSession, serviceErrorHandler, watchSession, type Service } from 'svc-auth';

/** An open connection of a client. */
export interface OpenSocket {
  /** Resolves with the reason when the server closes it. */
  closed: Promise<string>;
  close: () => void;
}

export type SocketKind = 'ws' | 'Socket.IO' | 'server-sent events';

export interface SocketSite {
  url: string;
  /** Opens a connection with a cookie. Rejects if the server refuses it. */
  open: (kind: SocketKind, token: string, headers?: Record<string, string>) => Promise<OpenSocket>;
  stop: () => Promise<void>;
}

const pollMs = 100;

export async function startSocketSite(service: Service): Promise<SocketSite> {
  const app = express();
  app.use('/auth', createAuthRouter(service));
  app.get('/events', requireSession(service), async (req, res) => {
    const watch = await watchSession(
      service,
      req,
      (reason) => res.end(`event: ended\ndata: ${String(reason)}\n\n`),
      { pollMs },
    );
    res.on('close', () => watch.stop());
    res.writeHead(200, { 'content-type': 'text/event-stream' }).write(': open\n\n');
  });
  app.use(serviceErrorHandler(service));
  const server = createServer(app);

  const sockets = new WebSocketServer({ noServer: true });
  server.on('upgrade', (req, socket, head) => {
    if (req.url !== '/ws') return;
    const opened = { socket: null as WebSocket | null };
    watchSession(service, req, (reason) => opened.socket?.close(4401, reason), { pollMs }).then(
      (watch) =>
        sockets.handleUpgrade(req, socket, head, (webSocket) => {
          opened.socket = webSocket;
          webSocket.on('close', () => watch.stop());
        }),
      () => socket.end('HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n'),
    );
  });

  const socketIO = new SocketServer(server);
  socketIO.use((socket, next) => {
    watchSession(
      service,
      socket.request,
      (reason) => {
        socket.emit('ended', reason);
        socket.disconnect(true);
      },
      { pollMs, token: socket.handshake.auth['token'] as string | undefined },
    ).then((watch) => {
      socket.on('disconnect', () => watch.stop());
      next();
    }, next);
  });

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const clients: Record<SocketKind, (headers: Record<string, string>) => Promise<OpenSocket>> = {
    ws: (headers) => openWebSocket(`${url.replace('http', 'ws')}/ws`, headers),
    'Socket.IO': (headers) => openSocketIO(url, headers),
    'server-sent events': (headers) => openEvents(`${url}/events`, headers),
  };
  return {
    url,
    open: (kind, token, headers = {}) => clients[kind]({ cookie: `svc_session=${token}`, ...headers }),
    async stop() {
      await service.close();
      await socketIO.close();
      sockets.close();
    },
  };
}

async function openWebSocket(url: string, headers: Record<string, string>): Promise<OpenSocket> {
  const socket = new WebSocket(url, { headers });
  const closed = new Promise<string>((resolve) => {
    socket.on('close', (_code, reason) => resolve(reason.toString()));
  });
  await once(socket, 'open');
  return { closed, close: () => socket.close() };
}

async function openSocketIO(url: string, extraHeaders: Record<string, string>): Promise<OpenSocket> {
  const socket = io(url, { extraHeaders, forceNew: true, reconnection: false });
  const closed = new Promise<string>((resolve) => {
    socket.on('ended', resolve);
  });
  await new Promise<void>((resolve, reject) => {
    socket.on('connect', resolve);
    socket.on('connect_error', reject);
  });
  return { closed, close: () => void socket.close() };
}

async function openEvents(url: string, headers: Record<string, string>): Promise<OpenSocket> {
  const sent = httpRequest(url, { headers, agent: false }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  if (response.statusCode !== 200) {
    response.resume();
    throw new Error(`HTTP ${response.statusCode}`);
  }
  let text = '';
  response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  // The client aborts it at the end of a test.
  response.on('error', () => undefined);
  sent.on('error', () => undefined);
  const closed = new Promise<string>((resolve) => {
    response.on('end', () => resolve(/event: ended\ndata: (.*)/.exec(text)?.[1] ?? ''));
  });
  return { closed, close: () => sent.destroy() };
}
