/**
 * Look-ups of one event-loop turn, answered by one query. Under load a server handles many requests per turn,
 * and one `= ANY($1)` of twenty keys costs PostgreSQL about as much as a single key.
 */
// Imported, not global: a host that tests with fake timers replaces the global one.
import { setImmediate } from 'node:timers';

/** A look-up by key. `load` gets each key once; where it fails, every caller of that turn fails, and no other. */
export function coalesce<Row>(
  load: (keys: string[]) => Promise<Row[]>,
  keyOf: (row: Row) => string,
): (key: string) => Promise<Row | null> {
  let turn: { keys: Set<string>; rows: Promise<Map<string, Row>> } | null = null;

  function nextTurn() {
    const keys = new Set<string>();
    const rows = new Promise((resolve) => setImmediate(resolve)).then(async () => {
      // From here on a look-up starts a new turn: joining a query under way could miss a write made since.
      turn = null;
      return new Map((await load([...keys])).map((row) => [keyOf(row), row]));
    });
    return { keys, rows };
  }

  return async (key) => {
    turn ??= nextTurn();
    turn.keys.add(key);
    return (await turn.rows).get(key) ?? null;
  };
}
