/**
 * Runs the same tests on several storages. Each gets one adapter for the whole file, so tests use addresses of their own
 * (`person()`), and the limits of one do not reach the next.
 */
import { knexAdapter, memoryAdapter, type StorageAdapter } from 'svc-auth';
import { makeService, type Overrides, type TestService } from './make-service.js';
import { openPglite } from './pglite.js';
import { createDatabase, querySql } from './postgres.js';
import { storedSecrets } from './stored-secrets.js';

export interface OnAdapter {
  /** A service on this storage. */
  make: (overrides?: Overrides) => Promise<TestService>;
  /** The storage itself; a service that closes leaves it open. */
  adapter: () => StorageAdapter;
  /** An address that nobody used before. */
  person: () => string;
  /** Runs SQL beside the adapter: on PostgreSQL only, undefined elsewhere. */
  sql?: (text: string) => Promise<Record<string, unknown>[]>;
}

interface Opened {
  adapter: StorageAdapter;
  release(): Promise<void>;
  url?: string;
}

const storages: Record<string, () => Promise<Opened>> = {
  async memory() {
    return { adapter: memoryAdapter(), release: async () => undefined };
  },
  PGlite: openPglite,
  async PostgreSQL() {
    const { url, drop } = await createDatabase();
    const adapter = knexAdapter({ client: 'pg', connection: url, pool: { min: 0, max: 10 } });
    const release = async () => {
      await adapter.close();
      await drop();
    };
    return { adapter, release, url };
  },
};

/** Whether a test leaves nothing out (`npm run test:storages`). */
export const isThorough = process.env['STORAGES'] === 'all';

// PGlite has the SQL of PostgreSQL and takes as long as all the others: without STORAGES=all, the promises of the storage and the first
// routes are tried on it, and the example's tests run on it.
const usual = ['memory', 'PostgreSQL'];

/** @param on which of them: all, unless a test says otherwise. */
export function describeAdapters(
  name: string,
  tests: (on: OnAdapter) => void,
  on: readonly string[] = isThorough ? Object.keys(storages) : usual,
): void {
  describe.each(on)(`${name} on %s`, (storage) => {
    let opened: Opened | undefined;
    let people = 0;

    beforeAll(async () => {
      opened = await storages[storage]!();
      await opened.adapter.init();
    }, 60_000);

    afterAll(async () => {
      const { url } = opened ?? {};
      const found = url === undefined ? [] : await storedSecrets((text) => querySql(url, text));
      await opened?.release();
      expect(found).toEqual([]);
    });

    const adapter = () => {
      if (!opened) throw new Error('The storage is open during tests only.');
      return { ...opened.adapter, close: async () => undefined };
    };

    tests({
      adapter,
      make: (overrides) => makeService({ adapter: adapter(), ...overrides }),
      person: () => `person-${(people += 1)}@example.com`,
      ...(storage === 'PostgreSQL' && { sql: (text) => querySql(opened?.url ?? '', text) }),
    });
  });
}

/** The adapter, with the name of every method that was called noted in `calls`. */
export function noting(adapter: StorageAdapter, calls: string[]): StorageAdapter {
  const watched = <T extends object>(target: T, prefix: string): T =>
    new Proxy(target, {
      get(object, key, receiver) {
        const value: unknown = Reflect.get(object, key, receiver);
        if (typeof value === 'function') {
          return (...args: unknown[]) => {
            calls.push(`${prefix}${String(key)}`);
            return (value as (...args: unknown[]) => unknown).apply(object, args);
          };
        }
        return typeof value === 'object' && value !== null
          ? watched(value, `${prefix}${String(key)}.`)
          : value;
      },
    });
  return watched(adapter, '');
}
