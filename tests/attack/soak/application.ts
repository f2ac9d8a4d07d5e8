/**
 * The application of the soak test, in its own process: every method on PostgreSQL with bcrypt, behind routers of both tiers.
 * Its clock can be advanced. It reports mails, text messages and samples of its state to the parent process.
 */
import type { AddressInfo } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import express from 'express';
import {
  bcryptHasher,
  createAuthRouter,
  createProRouter,
  createService,
  knexAdapter,
  requireApiKey,
  type Logger,
} from 'svc-auth';
import { encryptionKey, everyProvider } from '../../support/every-provider.js';
import { license } from '../../support/make-pro-service.js';

export type Leak = 'memory' | 'rows' | 'handles';

export type SoakOrder =
  | { boot: { databaseUrl: string; leak: Leak | undefined } }
  | { advance: number }
  | { purge: true }
  | { sample: true };

/** The state of the process after garbage collection, in bytes and milliseconds. */
export interface SoakSample {
  heap: number;
  resident: number;
  handles: number;
  lagP99: number;
  lagMax: number;
  errors: string[];
}

export type SoakReport =
  { listening: number } | { to: string; text: string } | { done: true } | { sample: SoakSample };

const report = (message: SoakReport) => void process.send?.(message, undefined, undefined, () => undefined);

/** Unhandled rejections, and errors in the log of the library: none may occur. */
const errors: string[] = [];
process.on('unhandledRejection', (reason) => errors.push(`unhandled rejection: ${String(reason)}`));
const error: Logger['error'] = (fields, message) =>
  errors.push(`${message} ${JSON.stringify(fields).slice(0, 500)}`);
const logger: Logger = { debug: () => undefined, info: () => undefined, warn: () => undefined, error };

const delay = monitorEventLoopDelay({ resolution: 10 });
let ahead = 0;
const leaked: unknown[] = [];

async function boot(databaseUrl: string, leak: Leak | undefined) {
  const mails = { send: async ({ to, text }: { to: string; text: string }) => report({ to, text }) };
  const sms = { send: async ({ to, body }: { to: string; body: string }) => report({ to, text: body }) };
  const service = createService({
    adapter: knexAdapter({ client: 'pg', connection: databaseUrl, pool: { min: 2, max: 10 } }),
    session: { secret: 'a secret of the soak, thirty-two bytes or more' },
    encryptionKey,
    ...license,
    clock: () => Date.now() + ahead,
    logger,
    providers: everyProvider({ mail: mails, sms, hasher: bcryptHasher() }),
  });
  await service.init();
  service.on('*', () => undefined);

  const app = express();
  // Each visitor names its own client address.
  app.set('trust proxy', true);
  app.use((req, _res, next) => {
    if (leak === 'memory')
      leaked.push({ url: req.url, bytes: Array.from({ length: 512 }, (_, i) => i + 0.5) });
    if (leak === 'handles' && leaked.length < 50_000) leaked.push(setInterval(() => undefined, 3_600_000));
    next();
  });
  app.use('/api/auth', createAuthRouter(service), createProRouter(service));
  app.get('/machine', requireApiKey(service, { scopes: ['read'] }), (_req, res) => void res.json({}));
  const server = app.listen(0, '127.0.0.1', () =>
    report({ listening: (server.address() as AddressInfo).port }),
  );
  return service;
}

function sample(): SoakSample {
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, rss } = process.memoryUsage();
  const [lagP99, lagMax] = [delay.percentile(99) / 1e6, delay.max / 1e6];
  // Excludes the garbage collection above from the delay.
  delay.reset();
  const handles = process.getActiveResourcesInfo().length;
  return { heap: heapUsed, resident: rss, handles, lagP99, lagMax, errors: errors.splice(0) };
}

let service: Awaited<ReturnType<typeof boot>>;

process.on('message', (order: SoakOrder) => {
  void (async () => {
    if ('boot' in order) {
      service = await boot(order.boot.databaseUrl, order.boot.leak);
      delay.enable();
    } else if ('advance' in order) {
      ahead += order.advance;
      report({ done: true });
    } else if ('purge' in order) {
      await service.purgeExpired();
      report({ done: true });
    } else report({ sample: sample() });
  })();
});
// Without its parent process it has nothing to do.
process.once('disconnect', () => process.exit());
