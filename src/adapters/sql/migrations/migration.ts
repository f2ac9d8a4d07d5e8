/** One step of the schema. Forward only and additive: the release before must still run on the schema after. */
export interface Migration {
  /** Position in the sequence; the number in the file's name. */
  id: number;
  name: string;
  /** Run in one transaction. */
  statements: readonly string[];
  /** Made after the statements of all migrations, without a lock that readers or writers wait for. For tables that may be large. */
  indexes?: readonly IndexChange[];
}

export type IndexChange =
  | {
      create: string;
      /** Table and columns, as they follow `on`. */
      on: string;
    }
  | { drop: string };
