/** For local development: a server on a loopback port, and secrets that are kept in files. */
import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Express } from 'express';
import { expressServer } from 'svc-auth/server';
import { exitWithError } from './settings.js';

/**
 * Serves the application on the port before the database is opened, so that a second process does not touch the data of
 * the first. Requests wait until `open` is called. Loopback only, because anyone who can reach the inbox can read it.
 */
export async function takePort(port: number, app: Express) {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  // As app.listen(), but faster.
  const server = expressServer(app);
  app.use((_req, res, next) => {
    // While the server closes, each response closes its connection.
    if (!server.listening) res.setHeader('Connection', 'close');
    void opened.then(() => next());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EADDRINUSE') return reject(error);
      exitWithError(
        `Port ${port} is in use. Stop the other process, or choose another port: PORT=${port + 1} npm start`,
      );
    });
    server.listen(port, '127.0.0.1', resolve);
  });
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      setInterval(() => server.closeIdleConnections(), 200).unref();
      // Pending requests have five seconds. A browser that keeps a connection open does not block the exit.
      setTimeout(() => server.closeAllConnections(), 5000).unref();
    });
  return { open, close };
}

/** Returns a secret, created at the first start and readable only by this user, so that sessions survive a restart. */
export async function keptSecret(path: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const secret = randomBytes(48).toString('base64');
  // The flag `wx` never overwrites an existing secret.
  await writeFile(path, secret, { mode: 0o600, flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  return readFile(path, 'utf8');
}
