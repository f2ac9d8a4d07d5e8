/**
 * One change of the schema. Forward-only and additive: the previous release must run on the new
 * schema.
 */
export interface Migration {
  /** Position in the sequence; the number in the file's name. */
  id: number;
  name: string;
  /** Executed in one transaction. */
  statements: readonly string[];
  /** True if the statements only create triggers. They are omitted with `triggers: false`. */
  isOfTriggers?: boolean;
  /**
   * Applied after the statements of all migrations, without blocking readers or writers. For tables
   * that may be large.
   */
  indexes?: readonly IndexChange[];
}

export type IndexChange =
  | {
      create: string;
      unique?: boolean;
      /** Table and columns, as written after `on`. */
      on: string;
    }
  | { drop: string };
