/**
 * Compiles statements: replaces the marks of the dialect, such as `{lock}` and `{ms s.expires_at}`,
 * and the `:names` of the bindings. `:names*` is a list, for `in (:ids*)`.
 */
import { isDate } from 'node:util/types';

export type Value = string | number | boolean | null | Date;
/** Values of the `:names` in a statement. */
export type Bindings = Readonly<Record<string, Value | readonly string[]>>;

/** Returns the SQL of a mark `{name argument}`. */
export type Marks = (name: string, argument: string) => string;

export interface Statement {
  /** With a question mark for each value, unless there are lists. */
  sql: string;
  /** The names in the order of the question marks. */
  names: readonly string[];
  hasLists: boolean;
}

/** Replaces the marks in a statement. */
export function replaceMarks(text: string, marks: Marks): string {
  return text.replace(/\{(\w+) ?([^}]*)\}/g, (_mark, name: string, argument: string) =>
    marks(name, argument),
  );
}

/** Statements have few forms: the constants of the repositories, with or without a position in a list. */
export const maxCached = 2_000;

/** Returns a function that compiles each text once. */
export function compiler(marks: Marks): (text: string) => Statement {
  const statements = new Map<string, Statement>();
  return (text) => {
    const cached = statements.get(text);
    if (cached) return cached;
    const marked = replaceMarks(text, marks);
    const names = [...marked.matchAll(binding)].map(([, name = '']) => name);
    const hasLists = /:\w+\*/.test(marked);
    const statement = { sql: hasLists ? marked : marked.replace(binding, '?'), names, hasLists };
    if (statements.size >= maxCached) statements.clear();
    statements.set(text, statement);
    return statement;
  };
}

const binding = /:([a-z]\w*)\*?/gi;

/**
 * Returns the statement with a question mark for each value, and the values in their order. An empty
 * list becomes one null, which equals nothing.
 */
export function bind(
  { sql, names, hasLists }: Statement,
  bindings: Bindings,
): { sql: string; values: Value[] } {
  if (!hasLists) return { sql, values: names.map((name) => valueOf(bindings, name) as Value) };
  const values: Value[] = [];
  const marked = sql.replace(binding, (_match, name: string) => {
    const value = valueOf(bindings, name);
    const list = typeof value === 'object' && value !== null && !isDate(value) ? value : [value];
    const items = list.length === 0 ? [null] : list;
    values.push(...items);
    return items.map(() => '?').join(', ');
  });
  return { sql: marked, values };
}

function valueOf(bindings: Bindings, name: string): Value | readonly string[] {
  const value = bindings[name];
  if (value === undefined) throw new Error(`The statement requires a value of :${name}.`);
  return value;
}
