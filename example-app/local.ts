/** What a developer's machine needs and production has otherwise: a port of its own and a secret that lasts. */
import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { dirname } from 'node:path';
import { giveUp } from './settings.js';

/**
 * Takes the port before anything else is opened, because a second start must not touch the first one's data.
 * Requests wait until there is something to serve. Loopback only: the inbox is open to whoever can reach it.
 */
export async function takePort(port: number) {
  let serve: (app: RequestListener) => void = () => undefined;
  const ready = new Promise<RequestListener>((resolve) => (serve = resolve));
  const server = createServer((req, res) => {
    // While the server closes, an answer is the last on its connection.
    if (!server.listening) res.setHeader('Connection', 'close');
    void ready.then((app) => app(req, res));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EADDRINUSE') return reject(error);
      giveUp(
        `Port ${port} is taken. Stop what runs there, or choose another one: PORT=${port + 1} npm start`,
      );
    });
    server.listen(port, '127.0.0.1', resolve);
  });
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      setInterval(() => server.closeIdleConnections(), 200).unref();
      // Requests on their way get a moment; a browser that holds a connection open does not hold us.
      setTimeout(() => server.closeAllConnections(), 5000).unref();
    });
  return { serve, close };
}

/** A secret, made at the first start and readable by this user alone, so that sessions outlive a restart. */
export async function keptSecret(path: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const secret = randomBytes(48).toString('base64');
  // Flag `wx`: never over one that exists.
  await writeFile(path, secret, { mode: 0o600, flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  return readFile(path, 'utf8');
}
