/**
 * Runs the same tests on several storages. A file has one adapter per storage, so each test uses unique addresses
 * (`uniqueEmail()`), and the limits that one test reaches do not affect the next.
 */
import { memoryAdapter, type StorageAdapter } from 'svc-auth';
import { createSharedDatabase, suiteStorages, type SharedStorage, type StorageName } from './databases.js';
import { makeService, type Overrides, type TestService } from './make-service.js';
import { openTransaction, type OpenTransaction } from './open-transaction.js';
import { openPglite } from './pglite.js';
import { openStorage } from './open-storage.js';
import { storedSecrets } from './stored-secrets.js';

export interface StorageContext {
  /** Creates a service on this storage. */
  make: (overrides?: Overrides) => Promise<TestService>;
  /** The storage itself; it stays open when a service closes. */
  adapter: () => StorageAdapter;
  /** Returns an email address that no account uses. */
  uniqueEmail: () => string;
  /** Runs SQL directly. Defined on PostgreSQL only. */
  sql?: (text: string) => Promise<Record<string, unknown>[]>;
  /** Runs SQL in a transaction that remains open. Defined on PostgreSQL only. */
  openTransaction?: (text: string) => Promise<OpenTransaction>;
}

interface Opened {
  adapter: StorageAdapter;
  release(): Promise<void>;
  sql?: NonNullable<StorageContext['sql']>;
  url?: string;
}

const storages: Readonly<Record<StorageName, () => Promise<Opened>>> = {
  async memory() {
    return { adapter: memoryAdapter(), release: async () => undefined };
  },
  PGlite: openPglite,
  PostgreSQL: () => openShared('PostgreSQL'),
  SQLite: () => openShared('SQLite'),
  MariaDB: () => openShared('MariaDB'),
};

async function openShared(storage: SharedStorage): Promise<Opened> {
  const { url, drop, sql } = await createSharedDatabase(storage);
  const adapter = openStorage(url);
  const release = async () => {
    await adapter.close();
    await drop();
  };
  return { adapter, release, sql, url };
}

/** @param on the storages to run on. */
export function describeAdapters(
  name: string,
  tests: (on: StorageContext) => void,
  on: readonly StorageName[] = suiteStorages(),
): void {
  describe.each(on)(`${name} on %s`, (storage) => {
    let opened: Opened | undefined;
    let people = 0;

    beforeAll(async () => {
      opened = await storages[storage]();
      await opened.adapter.init();
    });

    afterAll(async () => {
      const { sql } = opened ?? {};
      const secrets = sql ? await storedSecrets(sql, storage) : [];
      await opened?.release();
      expect(secrets).toEqual([]);
    });

    const adapter = () => {
      if (!opened) throw new Error('The storage is open during tests only.');
      return { ...opened.adapter, close: async () => undefined };
    };

    tests({
      adapter,
      make: (overrides) => makeService({ adapter: adapter(), ...overrides }),
      uniqueEmail: () => `person-${(people += 1)}@example.com`,
      ...(storage === 'PostgreSQL' && {
        sql: (text) => opened!.sql!(text),
        openTransaction: (text) => openTransaction(opened!.url!, text),
      }),
    });
  });
}

/** Wraps the adapter and appends the name of every called method to `calls`. */
export function recordCalls(adapter: StorageAdapter, calls: string[]): StorageAdapter {
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
