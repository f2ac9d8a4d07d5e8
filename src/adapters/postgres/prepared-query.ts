/**
 * A prepared statement as an object that `pg` sends, like `pg-cursor`. The same statement through knex
 * and the query of `pg` copies its configuration and scans its text several times per call, and
 * PostgreSQL describes its columns every time (docs/performance.md).
 */
import type { SentBinding } from './statements.js';

export interface RawResult {
  rows: unknown[];
  rowCount: number | null;
}

type Row = Record<string, unknown>;

/** The columns of a result. */
interface Columns {
  names: readonly string[];
  parsers: readonly ((value: string) => unknown)[];
  /** Copied for each row: it is faster to set properties that exist. */
  emptyRow: Row;
}

/** The columns of the prepared statements of each connection, by the name of the statement. */
export type ColumnsByConnection = WeakMap<object, Map<string, Columns>>;

const noColumns: Columns = { names: [], parsers: [], emptyRow: {} };

interface Field {
  name: string;
  dataTypeID: number;
}

/** The protocol of one connection, as far as it is used here. */
interface Wire {
  /** An application may pass a stream without `cork`. */
  stream: { cork?(): void; uncork?(): void };
  parsedStatements: Record<string, string>;
  submittedNamedStatements: Record<string, string>;
  parse(statement: { name: string; text: string }): void;
  bind(values: { portal: string; statement: string; values: readonly (string | null)[] }): void;
  describe(target: { type: 'P'; name: string }): void;
  execute(target: { portal: string; rows: number }): void;
  sync(): void;
}

type Callback = (error: Error | null, result: RawResult) => void;

/** A connection of `pg`. */
export interface PgConnection {
  connection: Wire;
  pipeline?: boolean;
  getTypeParser(dataTypeID: number, format: 'text'): (value: string) => unknown;
  query(query: PreparedQuery, callback: Callback): void;
}

/**
 * Returns whether a connection of the knex pool takes queries of this class: those of PGlite,
 * `pg-native`, `pg` before 8.23 and its pipeline mode do not.
 */
export function isPgConnection(connection: object): connection is PgConnection {
  const { connection: wire, getTypeParser, pipeline } = connection as Partial<PgConnection>;
  return (
    typeof getTypeParser === 'function' &&
    typeof wire?.parsedStatements === 'object' &&
    typeof wire.submittedNamedStatements === 'object' &&
    pipeline !== true
  );
}

/** Runs a statement that is prepared under `name`, once per connection. @throws the error of PostgreSQL. */
export function runPrepared(
  pg: PgConnection,
  statement: { name: string; text: string; values: readonly SentBinding[] },
  columnsByConnection: ColumnsByConnection,
): Promise<RawResult> {
  return new Promise((resolve, reject) => {
    const query = new PreparedQuery(pg, statement, columnsByConnection);
    pg.query(query, (error, result) => (error ? reject(error) : resolve(result)));
  });
}

/** `pg` calls the methods in the order of the messages of PostgreSQL. */
class PreparedQuery {
  /** Set by `pg`, which replaces it if it has a timeout for queries. */
  declare callback: Callback;
  readonly name: string;
  readonly text: string;
  readonly values: readonly SentBinding[];
  private readonly rows: Row[] = [];
  private rowCount: number | null = null;
  private columns: Columns | undefined;
  private failure: Error | undefined;

  constructor(
    private readonly pg: PgConnection,
    { name, text, values }: { name: string; text: string; values: readonly SentBinding[] },
    private readonly columnsByConnection: ColumnsByConnection,
  ) {
    this.name = name;
    this.text = text;
    this.values = values;
    this.columns = columnsByConnection.get(pg)?.get(name);
  }

  submit(wire: Wire): null {
    const { name, text } = this;
    const values = this.values.map(toText);
    wire.stream.cork?.();
    try {
      const isParsed = wire.parsedStatements[name] ?? wire.submittedNamedStatements[name];
      if (isParsed === undefined) {
        wire.parse({ name, text });
        wire.submittedNamedStatements[name] = text;
      }
      wire.bind({ portal: '', statement: name, values });
      if (!this.columns) wire.describe({ type: 'P', name: '' });
      wire.execute({ portal: '', rows: 0 });
      wire.sync();
    } finally {
      wire.stream.uncork?.();
    }
    return null;
  }

  handleRowDescription({ fields }: { fields: readonly Field[] }): void {
    const names = fields.map(({ name }) => name);
    this.columns = {
      names,
      parsers: fields.map(({ dataTypeID }) => this.pg.getTypeParser(dataTypeID, 'text')),
      emptyRow: Object.fromEntries(names.map((name) => [name, null])),
    };
  }

  handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    const { names, parsers, emptyRow } = this.columns ?? noColumns;
    const row = { ...emptyRow };
    try {
      for (let i = 0; i < names.length; i += 1) {
        const value = fields[i];
        if (typeof value === 'string') row[names[i]!] = parsers[i]!(value);
      }
    } catch (error) {
      // An application can register parsers. One that throws here would end the process.
      this.failure ??= error instanceof Error ? error : new Error(String(error));
    }
    this.rows.push(row);
  }

  /** @param message.text the command and its number of rows, such as `INSERT 0 1`. */
  handleCommandComplete({ text }: { text: string }): void {
    const [count] = /\d+$/.exec(text) ?? [];
    if (count !== undefined) this.rowCount = Number(count);
  }

  handleReadyForQuery(): void {
    const { columns = noColumns, columnsByConnection, failure, name, pg, rowCount, rows } = this;
    const ofConnection = columnsByConnection.get(pg) ?? new Map<string, Columns>();
    columnsByConnection.set(pg, ofConnection.set(name, columns));
    if (failure === undefined) this.callback(null, { rows, rowCount });
    else this.handleError(failure);
  }

  handleError(error: Error): void {
    this.callback(error, { rows: [], rowCount: null });
  }
}

function toText(value: SentBinding): string | null {
  if (value === null || typeof value === 'string') return value;
  return typeof value === 'object' ? `{${value.map(toElement).join(',')}}` : String(value);
}

function toElement(value: string | null): string {
  if (value === null) return 'NULL';
  return /["\\]/.test(value) ? `"${value.replace(/["\\]/g, '\\$&')}"` : `"${value}"`;
}
