/** A service in a separate process that makes concurrent calls. service-processes.ts starts it and sends the commands. */
import type { EmailMessage, Service, StorageAdapter } from 'svc-auth';
import { outbox, smsOutbox, type Outbox } from 'svc-auth/testing';
import { performCall, type ServiceCall } from './service-calls.js';
import { type EveryProviderOptions, everyProvider } from './every-provider.js';
import { watchedService } from './leak-hooks.js';
import { takeLeaks } from './leak-scan.js';
import { openStorage } from './open-storage.js';

export interface ServiceCommand {
  /** Returned with the response. */
  number: number;
  url: string;
  secret: string;
  encryptionKey: string;
  licenseKey: string;
  licensePublicKey: string;
  now: number;
  options?: EveryProviderOptions;
  /** The concurrent calls of this process. */
  calls: ServiceCall[];
}

/** The outcomes of the calls, in their order, and the side effects of the service. */
export interface ServiceReport {
  outcomes: string[];
  mails: EmailMessage[];
  events: string[];
  /** Leaked secrets. */
  leaks: string[];
}

interface Running {
  service: Service;
  mail: Outbox;
  events: string[];
}

/** The leak scan reads the log. */
const ignore = () => undefined;
let now = 0;
// One service per set of options, all on one storage, which stays open.
const running = new Map<string, Running>();
let adapter: StorageAdapter | undefined;

async function runningWith({
  url,
  secret,
  number: _number,
  calls: _calls,
  now: _now,
  options = {},
  ...config
}: ServiceCommand) {
  const key = JSON.stringify(options);
  const existing = running.get(key);
  if (existing) return existing;
  adapter ??= openStorage(url);
  const [mail, sms, events] = [outbox(), smsOutbox(), [] as string[]];
  const { service } = watchedService({
    ...config,
    adapter: { ...adapter, close: async () => undefined },
    session: { secret },
    clock: () => now,
    logger: { debug: ignore, info: ignore, warn: ignore, error: ignore },
    ...(options.rateLimit && { rateLimit: options.rateLimit }),
    ...(options.signUp && { signUp: options.signUp }),
    providers: everyProvider({ mail, sms }, options),
  });
  await service.init();
  service.on('*', (name) => void events.push(name));
  const created = { service, mail, events };
  running.set(key, created);
  return created;
}

async function execute(command: ServiceCommand): Promise<ServiceReport> {
  now = command.now;
  const { service, mail, events } = await runningWith(command);
  const outcomes = await Promise.all(command.calls.map((call) => performCall(service, call)));
  // Waits for mails in the background.
  await service.close();
  const report = { outcomes, mails: mail.messages.slice(), events: events.splice(0), leaks: takeLeaks() };
  mail.clear();
  return report;
}

// The parent process may have ended; that must not fail this one.
function send(message: object): void {
  process.send?.(message, undefined, undefined, () => undefined);
}

process.on('message', (command: ServiceCommand) => {
  execute(command).then(
    (report) => send({ command: command.number, report }),
    (error: Error) => send({ command: command.number, error: `${error.message} ${String(error.cause)}` }),
  );
});
process.on('disconnect', () => void adapter?.close());
process.send?.('ready');
