/** One step of the schema. Forward only and additive: the release before must still run on the schema after. */
export interface Migration {
  /** Position in the sequence; the number in the file's name. */
  id: number;
  name: string;
  statements: readonly string[];
}
