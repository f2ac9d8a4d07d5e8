/**
 * Combines lookups that arrive while a query is running into the next query. Under load a server
 * handles many requests per query, and `= ANY($1)` with twenty keys costs PostgreSQL about as much
 * as with a single key.
 */
// Imported, because fake timers in an application's tests replace the global functions.
import { clearTimeout, setTimeout } from 'node:timers';

/**
 * How long lookups wait for a running query. A query that hangs, or a database that is far away,
 * must not delay them.
 */
const maxWaitMs = 5;

/** The largest number of keys in a query. */
const maxKeys = 500;

interface Batch<Row> {
  keys: Set<string>;
  rows: Promise<Map<string, Row>>;
  send: () => void;
}

/**
 * Returns a lookup by key. A lookup starts a query if none is running, together with those of the
 * same synchronous block. Those that come while a query is running go together into the next one,
 * which starts when that query ends. `load` receives each key once; if it fails, only the callers
 * of that query fail. A lookup in a scope has a query of its transaction to itself.
 */
export function coalesce<Row>(
  load: (keys: string[]) => Promise<Row[]>,
  keyOf: (row: Row) => string,
  isInScope: () => boolean = () => false,
): (key: string) => Promise<Row | null> {
  let waiting: Batch<Row> | null = null;
  let running = 0;

  function newBatch(): Batch<Row> {
    const keys = new Set<string>();
    let send = (): void => undefined;
    const sent = new Promise<void>((resolve) => (send = resolve));
    const timer = running === 0 ? undefined : setTimeout(send, maxWaitMs);
    if (running === 0) send();
    const rows = sent.then(() => {
      clearTimeout(timer);
      return query(keys);
    });
    return { keys, rows, send };
  }

  async function query(keys: Set<string>): Promise<Map<string, Row>> {
    // From here on a lookup waits for the next query: this one could miss a later write.
    if (waiting?.keys === keys) waiting = null;
    running += 1;
    try {
      return new Map((await load([...keys])).map((row) => [keyOf(row), row]));
    } finally {
      running -= 1;
      waiting?.send();
    }
  }

  return async (key) => {
    if (isInScope()) return (await load([key]))[0] ?? null;
    const { keys, rows, send } = (waiting ??= newBatch());
    keys.add(key);
    if (keys.size === maxKeys) {
      waiting = null;
      send();
    }
    return (await rows).get(key) ?? null;
  };
}
