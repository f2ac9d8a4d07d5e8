/** A service in a process of its own that makes calls at once; service-processes.ts starts it and says which. */
import { knexAdapter, type EmailMessage, type Service } from 'svc-auth';
import { outbox, smsOutbox, type Outbox } from 'svc-auth/testing';
import { perform, type Call } from './calls.js';
import { type EveryOptions, everyProvider } from './every-provider.js';
import { watchedService } from './leak-hooks.js';
import { takeLeaks } from './leak-scan.js';

export interface ServiceOrder {
  url: string;
  secret: string;
  encryptionKey: string;
  licenseKey: string;
  licensePublicKey: string;
  now: number;
  options?: EveryOptions;
  /** What this process calls at once. */
  calls: Call[];
}

/** What became of the calls, in their order, and what the service did besides. */
export interface ServiceReport {
  outcomes: string[];
  mails: EmailMessage[];
  events: string[];
  /** Secrets where none may be. */
  leaks: string[];
}

interface Running {
  service: Service;
  mail: Outbox;
  events: string[];
}

/** The scan sees what is logged. */
const unread = () => undefined;
let now = 0;
// One per set of options: all stand on one storage, which stays open.
const running = new Map<string, Running>();
let adapter: ReturnType<typeof knexAdapter> | undefined;

async function runningWith({ url, secret, calls: _calls, now: _now, options = {}, ...config }: ServiceOrder) {
  const key = JSON.stringify(options);
  const known = running.get(key);
  if (known) return known;
  adapter ??= knexAdapter({ client: 'pg', connection: url });
  const [mail, texts, events] = [outbox(), smsOutbox(), [] as string[]];
  const { service } = watchedService({
    ...config,
    adapter: { ...adapter, close: async () => undefined },
    session: { secret },
    clock: () => now,
    logger: { debug: unread, info: unread, warn: unread, error: unread },
    ...(options.rateLimit && { rateLimit: options.rateLimit }),
    providers: everyProvider({ mail, texts }, options),
  });
  await service.init();
  service.on('*', (name) => void events.push(name));
  const made = { service, mail, events };
  running.set(key, made);
  return made;
}

async function obey(order: ServiceOrder): Promise<ServiceReport> {
  now = order.now;
  const { service, mail, events } = await runningWith(order);
  const outcomes = await Promise.all(order.calls.map((call) => perform(service, call)));
  // Mails in the background are through then.
  await service.close();
  const report = { outcomes, mails: mail.messages.slice(), events: events.splice(0), leaks: takeLeaks() };
  mail.clear();
  return report;
}

// Whoever asked may be gone by now; that is no reason to fail.
function answer(message: object): void {
  process.send?.(message, undefined, undefined, () => undefined);
}

process.on('message', (order: ServiceOrder) => {
  obey(order).then(
    (report) => answer({ report }),
    (error: Error) => answer({ error: `${error.message} ${String(error.cause)}` }),
  );
});
process.on('disconnect', () => void adapter?.close());
process.send?.('ready');
