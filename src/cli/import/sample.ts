/** The first rows of a table or a file, from which a map is proposed. */
import type { Row } from './source.js';
import { simplified, valueAt } from './values.js';

/** A table, or a file, with its first rows. */
export interface Sample {
  /** Null for a file. */
  table: string | null;
  columns: readonly string[];
  rows: readonly Row[];
}

/** Returns the values of a column, except empty ones. */
export const filledValues = ({ rows }: Sample, column: string): unknown[] =>
  rows
    .map((row) => simplified(valueAt(row, column)))
    .filter((value) => value !== null && value !== undefined && value !== '');
