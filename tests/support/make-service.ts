/**
 * How every test gets a service: all free providers except google, in memory, with a clock that only the test
 * advances, an outbox, a logger that records its lines, and a cheap hasher. A test overrides what it is about.
 */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { memoryAdapter } from 'svc-auth';
import type { Logger, PasswordHasher, Service, ServiceConfig, StorageAdapter } from 'svc-auth';
import { outbox, testClock } from 'svc-auth/testing';
import type { Outbox, TestClock } from 'svc-auth/testing';
import { watchedService } from './leak-hooks.js';
import type { LeakScan } from './leak-scan.js';

export const testSecret = 'a secret of the tests, 32 bytes or more, no other';
export const appOrigin = 'https://app.test';

type Providers = NonNullable<ServiceConfig['providers']>;

/** `undefined` leaves the provider out; an object is merged over its defaults. */
type ProviderOverrides = {
  [Name in keyof Providers]?: Partial<NonNullable<Providers[Name]>> | true | undefined;
};

export interface Overrides extends Omit<
  Partial<ServiceConfig>,
  'session' | 'providers' | 'clock' | 'logger'
> {
  session?: Partial<ServiceConfig['session']>;
  providers?: ProviderOverrides;
  clock?: TestClock;
  mail?: Outbox;
  /** Leaves `init()` to the test. */
  init?: false;
}

export interface LogEntry {
  level: keyof Logger;
  fields: Record<string, unknown>;
  message: string;
}

export interface TestService {
  /** After `init()`. */
  service: Service;
  /** Every mail, except those of a provider with its own sender. */
  mail: Outbox;
  clock: TestClock;
  adapter: StorageAdapter;
  /** The lines that the service has logged. */
  log: LogEntry[];
  config: ServiceConfig;
  /** The secrets of this service, and the scan of its output for them. */
  leaks: LeakScan;
}

export async function makeService(overrides: Overrides = {}): Promise<TestService> {
  const { session, providers = {}, clock = testClock(), mail = outbox(), init, ...rest } = overrides;
  const adapter = rest.adapter ?? memoryAdapter();
  const log: LogEntry[] = [];
  const config = {
    appName: 'Acme',
    ...rest,
    adapter,
    clock: clock.now,
    logger: recordingLogger(log),
    session: { secret: testSecret, ...sessionCache(), ...session },
    providers: mergeProviders(
      {
        emailCode: { sender: mail },
        magicLink: { sender: mail, baseUrl: `${appOrigin}/api/auth/magic-link/verify` },
        emailPassword: { sender: mail, resetUrl: `${appOrigin}/reset`, hasher: cheapHasher() },
      },
      providers,
    ),
  } as ServiceConfig;
  const watched = watchedService(config);
  if (init !== false) {
    await watched.service.init();
    // Until the first heartbeat has arrived, no session is cached.
    if (config.session.cache) await sleep(30);
  }
  return { ...watched, mail, clock, adapter, log };
}

/** `npm test -- --cached` runs the suites with cached sessions. The test of a long file has many services: heartbeats are rare. */
function sessionCache(): Pick<ServiceConfig['session'], 'cache'> {
  return process.env['SESSION_CACHE'] === '1' ? { cache: { maxStaleMs: 60_000 } } : {};
}

/** Deterministic, and a millionth of bcrypt's cost. */
export function cheapHasher(): PasswordHasher {
  const hash = (plain: string) => `cheap$${createHash('sha256').update(plain).digest('hex')}`;
  return {
    hash: async (plain) => hash(plain),
    verify: async (plain, stored) => stored === hash(plain),
  };
}

export function recordingLogger(log: LogEntry[]): Logger {
  const level = (name: keyof Logger) => (fields: object, message: string) =>
    void log.push({ level: name, fields: fields as Record<string, unknown>, message });
  return { debug: level('debug'), info: level('info'), warn: level('warn'), error: level('error') };
}

function mergeProviders(
  defaults: Record<string, object>,
  overrides: ProviderOverrides,
): Record<string, unknown> {
  const merged: Record<string, unknown> = { ...defaults };
  for (const [name, options] of Object.entries(overrides)) {
    merged[name] = typeof options === 'object' ? { ...defaults[name], ...options } : options;
  }
  return merged;
}
