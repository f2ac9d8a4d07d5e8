/**
 * Parts of a list. Every list is ordered by creation time and id, so that a position stays valid
 * when rows are added or removed.
 */

/** The position of a row in its list. */
export interface ListPosition {
  createdAt: Date;
  id: string;
}

/** A part of a list, in the order of that list. Without a range a list returns every row. */
export interface ListRange {
  /** Returns the rows after this position. The row at the position may have been deleted. */
  after?: ListPosition;
  /** Maximum number of rows. */
  limit?: number;
}
