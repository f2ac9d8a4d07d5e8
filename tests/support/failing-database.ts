/** An IndexedDB in memory that can fail, as those of browsers do at times: for the client, which uses one store of one database. */
interface Request {
  result: unknown;
  onsuccess: (() => void) | null;
  onerror: (() => void) | null;
  onupgradeneeded?: (() => void) | null;
}

export interface FailingDatabase {
  /** How many of the next attempts to open the database fail. */
  failures: number;
  /** Whether it answers nothing. */
  hangs: boolean;
  stored: Map<string, unknown>;
  remove: () => void;
}

/** Sets `globalThis.indexedDB` until `remove` is called. */
export function failingDatabase(): FailingDatabase {
  const scope = globalThis as { indexedDB?: unknown };
  const earlier = scope.indexedDB;
  let exists = false;
  const database: FailingDatabase = {
    failures: 0,
    hangs: false,
    stored: new Map(),
    remove: () => void (scope.indexedDB = earlier),
  };
  const respond = (act: (request: Request) => unknown, fails = false): Request => {
    const request: Request = { result: undefined, onsuccess: null, onerror: null };
    queueMicrotask(() => {
      if (database.hangs) return;
      if (fails) return request.onerror?.();
      request.result = act(request);
      request.onsuccess?.();
    });
    return request;
  };
  const objectStore = () => ({
    get: (key: string) => respond(() => database.stored.get(key)),
    add: (value: unknown, key: string) =>
      respond(() => void database.stored.set(key, value), database.stored.has(key)),
  });
  const opened = {
    createObjectStore: () => (exists = true),
    transaction: () => ({ objectStore }),
    close: () => undefined,
  };
  scope.indexedDB = {
    open() {
      const fails = database.failures > 0;
      if (fails) database.failures -= 1;
      return respond((request) => {
        request.result = opened;
        if (!exists) request.onupgradeneeded?.();
        return opened;
      }, fails);
    },
  };
  return database;
}
