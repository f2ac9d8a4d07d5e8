/**
 * An application with bcrypt in its own process, which shuts down as described in docs/faults.md; started by processes.ts. It
 * writes its log to standard output, one line of JSON each, and reports its mails and requests to the parent process.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import express from 'express';
import { createAuthRouter, createService, knexAdapter, type EmailMessage, type Logger } from 'svc-auth';

export interface ApplicationOrder {
  databaseUrl: string;
  /** How long sending a mail takes in milliseconds; null: forever. */
  mailMs: number | null;
  /** Milliseconds for pending requests to finish, and for pending mails after them. */
  graceMs: number;
  /** Whether it reports requests and mails to the parent, which costs time per request. Default true. */
  reports?: boolean;
  /** `maxStaleMs` of `session.cache`; without it, sessions are not cached. */
  maxStaleMs?: number;
}

export type ApplicationReport = { listening: number } | { arrived: string } | { mailed: string };

process.once('message', (order: ApplicationOrder) => {
  void run(order);
});
process.once('disconnect', () => process.exit(3));
process.send?.('ready');

const report = (message: ApplicationReport) =>
  void process.send?.(message, undefined, undefined, () => undefined);

const line = (level: string) => (fields: object, message: string) =>
  console.log(JSON.stringify({ level, message, ...fields }));
const logger: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: line('warn'),
  error: line('error'),
};

async function run({
  databaseUrl,
  mailMs,
  graceMs,
  reports = true,
  maxStaleMs,
}: ApplicationOrder): Promise<void> {
  const sender = {
    async send({ to }: EmailMessage) {
      await (mailMs === null ? new Promise(() => undefined) : sleep(mailMs));
      if (reports) report({ mailed: to });
    },
  };
  const service = createService({
    adapter: knexAdapter({ client: 'pg', connection: databaseUrl }),
    session: {
      secret: 'a secret of an application that ends, 32 bytes',
      ...(maxStaleMs !== undefined && { cache: { maxStaleMs } }),
    },
    logger,
    providers: { emailCode: { sender }, emailPassword: { sender, resetUrl: 'https://app.test/reset' } },
  });
  await service.init();

  const app = express();
  // Each visitor names its own client address: a flood comes from many addresses.
  app.set('trust proxy', true);
  app.use((_req, res, next) => {
    if (!server.listening) res.setHeader('Connection', 'close');
    next();
  });
  app.use((req, _res, next) => {
    if (reports) report({ arrived: req.path });
    next();
  });
  app.use('/api/auth', createAuthRouter(service));
  // The baseline: what Express alone does with a flood, on the same machine in the same minute.
  app.post('/bare', express.json(), (_req, res) => void res.status(429).json({ error: 'bare' }));
  app.get('/bare', (_req, res) => void res.json({ user: null }));
  let peakHeap = 0;
  setInterval(() => (peakHeap = Math.max(peakHeap, process.memoryUsage().heapUsed)), 100).unref();
  app.get('/memory', (_req, res) => void res.json({ peakHeap }));
  app.get('/slow', (_req, res) => void sleep(500).then(() => res.json({ slow: true })));
  const server = createServer(app);
  // By default, the operating system drops connections beyond 511 that the process has not accepted yet. It would be measured instead.
  server.listen({ port: 0, host: '127.0.0.1', backlog: 4_096 }, () => {
    report({ listening: (server.address() as AddressInfo).port });
  });

  const shutDown = async () => {
    setInterval(() => server.closeIdleConnections(), 200).unref();
    setTimeout(() => server.closeAllConnections(), graceMs).unref();
    await new Promise((resolve) => server.close(resolve));
    await service.close({ timeoutMs: graceMs });
    process.exit();
  };
  process.once('SIGTERM', () => void shutDown());
}
