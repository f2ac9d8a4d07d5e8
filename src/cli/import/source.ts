/** What a source of an import is: data that says where the users of an old system are, and what their columns mean. */
import type { ForeignHash, ImportedUser } from '../../domain/imported-user.js';

/** A row of a table, a line of a CSV file, or an object of a JSON file. */
export type Row = Readonly<Record<string, unknown>>;

/** The names of a column, of which the first one that a row has is read, or what makes a value from a row. */
export type Rule = string | readonly string[] | ((row: Row, context: MapContext) => unknown);

export type FieldRules = { readonly [Field in keyof ImportedUser]?: Rule };

/** The rows of another table that belong to a user. Each user has those in the property with `@` and the name of the relation. */
export interface Relation {
  tables: readonly string[];
  /** The column with the id of the user. */
  userColumn: readonly string[];
  /** The rows that those of this table name, such as the organization of a membership. Their row is in `@` and the name. */
  lookups?: Readonly<Record<string, { tables: readonly string[]; column: readonly string[] }>>;
}

export interface Tables {
  /** The schema on PostgreSQL, unless --schema names one. Default: the current one. */
  schema?: string;
  users: readonly string[];
  relations?: Readonly<Record<string, Relation>>;
}

export interface Source {
  title: string;
  /** Where the users are in a database. Null: in any table, which is found by its columns. Absent: in no database. */
  tables?: Tables | null;
  /** What file has the users. Absent: none. */
  file?: string;
  /** What to do with a file in CSV. Absent: it is read. */
  insteadOfCsv?: string;
  /** What the columns mean. Absent: the map is proposed. */
  fields?: FieldRules;
  /** What cannot be carried, in sentences. */
  notCarried?: readonly string[];
  /** The secret with which the old application encrypts, and the variable that has it, unless --secret-env names another one. */
  secret?: { what: string; variable: string };
}

/** The form of hashes that are in several columns, or that do not name their format. */
export type HashForm = Readonly<Record<string, string | number | boolean>> & {
  readonly format: ForeignHash['format'];
};

/** Where the rules report what they leave out, and what they need from the command line. */
export interface MapContext {
  /** Counts something that is not carried. */
  omit(what: string): void;
  /** The secret of the old application, for what it has encrypted. */
  readonly secret: string | null;
  readonly hashForm: HashForm | null;
  /** Finds what a second file has for a record. */
  readonly companion: { find(id: string): Row | null } | null;
  /** The names of identity providers in the configuration, by those of the old system. */
  readonly providers: Readonly<Record<string, string>>;
}

/** What a reader found at a place of the source. */
export type SourceRecord =
  { place: string; row: Row } | { place: string; fault: { reason: string; message: string } };

export const related = (row: Row, relation: string): readonly Row[] =>
  Array.isArray(row[`@${relation}`]) ? (row[`@${relation}`] as Row[]) : [];

export const lookedUp = (row: Row, name: string): Row | null => (row[`@${name}`] as Row | undefined) ?? null;
