/** One change of the schema. Forward-only and additive: the previous release must run on the new schema. */
export interface Migration {
  /** Position in the sequence; the number in the file's name. */
  id: number;
  name: string;
  /** Statements that may already have been applied: MariaDB and MySQL commit each of them. */
  statements: readonly string[];
}
