/**
 * How every test gets a service: all free providers but google, on memory, with a clock that stands still, an outbox,
 * a logger that remembers, and a hasher that costs nothing. What a test is about it overrides.
 */
import { createHash } from 'node:crypto';
import { memoryAdapter } from 'svc-auth';
import type { Logger, PasswordHasher, Service, ServiceConfig, StorageAdapter } from 'svc-auth';
import { outbox, testClock } from 'svc-auth/testing';
import type { Outbox, TestClock } from 'svc-auth/testing';
import { watchedService } from './leak-hooks.js';
import type { LeakScan } from './leak-scan.js';

export const testSecret = 'a secret of the tests, 32 bytes or more, no other';
export const appOrigin = 'https://app.test';

type Providers = NonNullable<ServiceConfig['providers']>;

/** `undefined` as a provider leaves it out; an object is laid over its defaults. */
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
  /** Every mail, unless a provider was given a sender of its own. */
  mail: Outbox;
  clock: TestClock;
  adapter: StorageAdapter;
  /** What reached the logger. */
  log: LogEntry[];
  config: ServiceConfig;
  /** What this service must not tell: everything it gives is looked at. */
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
    logger: rememberingLogger(log),
    session: { secret: testSecret, ...session },
    providers: laidOver(
      {
        emailCode: { sender: mail },
        magicLink: { sender: mail, baseUrl: `${appOrigin}/api/auth/magic-link/verify` },
        emailPassword: { sender: mail, resetUrl: `${appOrigin}/reset`, hasher: cheapHasher() },
      },
      providers,
    ),
  } as ServiceConfig;
  const made = watchedService(config);
  if (init !== false) await made.service.init();
  return { ...made, mail, clock, adapter, log };
}

/** Deterministic, and a millionth of bcrypt's cost. */
export function cheapHasher(): PasswordHasher {
  const hash = (plain: string) => `cheap$${createHash('sha256').update(plain).digest('hex')}`;
  return {
    hash: async (plain) => hash(plain),
    verify: async (plain, stored) => stored === hash(plain),
  };
}

function rememberingLogger(log: LogEntry[]): Logger {
  const level = (name: keyof Logger) => (fields: object, message: string) =>
    void log.push({ level: name, fields: fields as Record<string, unknown>, message });
  return { debug: level('debug'), info: level('info'), warn: level('warn'), error: level('error') };
}

function laidOver(defaults: Record<string, object>, overrides: ProviderOverrides): Record<string, unknown> {
  const merged: Record<string, unknown> = { ...defaults };
  for (const [name, options] of Object.entries(overrides)) {
    merged[name] = typeof options === 'object' ? { ...defaults[name], ...options } : options;
  }
  return merged;
}
