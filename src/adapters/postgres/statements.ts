/**
 * Compiles every statement once: qualifies its tables and functions with the schema, so that they do
 * not depend on `search_path` or temporary tables, replaces the marks of ../portable, and numbers its bindings.
 */
import { createHash } from 'node:crypto';
import { ConfigError } from '../../errors/catalog.js';
import { maxCached, replaceMarks } from '../portable/statements.js';
import { postgresMarks } from './postgres-dialect.js';

/** What is sent to the driver. */
export type SentBinding = string | number | boolean | null | readonly (string | null)[];
/** A Date is sent as an ISO 8601 string. */
export type Binding = SentBinding | Date;
/**
 * Values of the `:names` in a statement. A name that occurs twice is sent twice, each with its
 * inferred type.
 */
export type Bindings = Readonly<Record<string, Binding>>;

export interface Statements {
  /** The quoted name of the schema. */
  schema: string;
  /** Compiles a statement. Statements have few forms, so each is compiled only once. */
  compile: (text: string) => Statement;
}

export interface Statement {
  /** The statement with `"schema".` in front of every table and function, and `$1` for the first `:name`. */
  sql: string;
  /** The `:names` in the order of their numbers. A name that occurs twice has two numbers. */
  names: readonly string[];
  /**
   * A digest of `sql` for the name of a prepared statement, so that a name identifies one statement
   * in all processes and releases.
   */
  digest: string;
}

/** Returns the statements of a schema. @throws ConfigError if the schema name is invalid. */
export function statementsIn(name: string, qualifiedNames: readonly string[]): Statements {
  const schema = quote(name);
  const qualified = new RegExp(`\\b(?:${qualifiedNames.join('|')})\\b`, 'g');
  const statements = new Map<string, Statement>();
  const compile = (text: string) => {
    const cached = statements.get(text);
    if (cached) return cached;
    const names: string[] = [];
    const sql = withArrays(replaceMarks(text, postgresMarks))
      .replace(qualified, (match) => `${schema}.${match}`)
      .replace(/(?<!:):([a-z]\w*)/gi, (_match, binding: string) => `$${names.push(binding)}`);
    const digest = createHash('sha256').update(sql).digest('hex').slice(0, 12);
    const statement = { sql, names, digest };
    if (statements.size >= maxCached) statements.clear();
    statements.set(text, statement);
    return statement;
  };
  return { schema, compile };
}

/** A list is one binding, so that the statement does not depend on its length. */
function withArrays(text: string): string {
  return text.replace(/\bnot in \(:(\w+)\*\)/g, '<> all(:$1)').replace(/\bin \(:(\w+)\*\)/g, '= any(:$1)');
}

function quote(name: unknown): string {
  // ":" marks our bindings, and "?" those of knex.
  if (typeof name === 'string' && /^[^"'?:\\\0]{1,63}$/.test(name)) return `"${name}"`;
  const message = 'schema must be a name of 1 to 63 characters without quotes, "?", ":" or "\\".';
  throw new ConfigError([{ path: 'adapter', message }]);
}
