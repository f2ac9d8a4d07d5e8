/** Names the schema in every statement, so that neither `search_path` nor a temporary table decides which tables are used. */
import { createHash } from 'node:crypto';
import { ConfigError } from '../../errors/catalog.js';

export interface Statements {
  /** The quoted name. */
  schema: string;
  /** Qualifies a statement. The texts are constants, so each is rewritten once. */
  qualify: (text: string) => Statement;
}

export interface Statement {
  /** The statement with `"schema".` in front of every table. */
  sql: string;
  /** A digest of `sql` for the name of a prepared statement. One name means one statement, in any process and release. */
  digest: string;
}

/** @throws ConfigError for a name that cannot stand in a statement. */
export function statementsIn(name: string, tables: readonly string[]): Statements {
  const schema = quote(name);
  const table = new RegExp(`\\b(?:${tables.join('|')})\\b`, 'g');
  const statements = new Map<string, Statement>();
  const qualify = (text: string) => {
    const known = statements.get(text);
    if (known) return known;
    const sql = text.replace(table, (match) => `${schema}.${match}`);
    const digest = createHash('sha256').update(sql).digest('hex').slice(0, 12);
    const statement = { sql, digest };
    statements.set(text, statement);
    return statement;
  };
  return { schema, qualify };
}

function quote(name: unknown): string {
  // knex would take "?" and ":" for bindings.
  if (typeof name === 'string' && /^[^"'?:\\\0]{1,63}$/.test(name)) return `"${name}"`;
  const message = 'schema must be a name of 1 to 63 characters without quotes, "?", ":" and "\\".';
  throw new ConfigError([{ path: 'adapter', message }]);
}
