/**
 * An Express application in a separate process, one of several behind a load balancer. app-processes.ts starts it and
 * sends the command to boot; the process sends its mails back.
 */
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { createAuthRouter, createService, knexAdapter, requireSession } from 'svc-auth';
import type { EmailMessage, ServiceConfig } from 'svc-auth';

/** The command to boot, sent once. */
export interface BootOptions {
  databaseUrl: string;
  secret: string;
  google?: NonNullable<ServiceConfig['providers']>['google'];
}

/** Messages of the process. */
export type ProcessMessage =
  | { type: 'ready' }
  | { type: 'listening'; port: number }
  | { type: 'failed'; reason: string }
  | { type: 'mail'; mail: EmailMessage };

// The parent process may have ended; that must not fail this one.
const report = (message: ProcessMessage) =>
  void process.send?.(message, undefined, undefined, () => undefined);

// The parent process scans the output.
const line = (level: string) => (fields: object, message: string) =>
  console.log(JSON.stringify({ level, message, ...fields }));

async function boot({ databaseUrl, secret, google }: BootOptions): Promise<Server> {
  const sender = { send: async (mail: EmailMessage) => report({ type: 'mail', mail }) };
  const service = createService({
    adapter: knexAdapter({ client: 'pg', connection: databaseUrl, pool: { min: 0, max: 8 } }),
    session: { secret },
    appName: 'Acme',
    logger: { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') },
    providers: {
      emailCode: { sender },
      magicLink: { sender, baseUrl: 'https://app.test/api/auth/magic-link/verify' },
      emailPassword: { sender, resetUrl: 'https://app.test/reset' },
      google,
    },
  });
  await service.init();
  const app = express();
  app.use('/api/auth', createAuthRouter(service));
  app.get('/me', requireSession(service), (req, res) => void res.json(req.user));
  return new Promise((resolve) => {
    const server = app.listen(0, '127.0.0.1', () => resolve(server));
  });
}

process.once('message', (options: BootOptions) => {
  boot(options).then(
    (server) => report({ type: 'listening', port: (server.address() as AddressInfo).port }),
    (error: Error) => report({ type: 'failed', reason: `${error.stack} ${String(error.cause)}` }),
  );
});
// Exits with the parent process, so that no process is left behind however the tests end.
process.once('disconnect', () => process.exit());
report({ type: 'ready' });
