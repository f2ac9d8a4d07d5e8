/** Parts of a list. Every list is ordered by time of creation and id, so that a position stays valid when rows come and go. */

/** The place of a row in its list. */
export interface ListPosition {
  createdAt: Date;
  id: string;
}

/** A part of a list, in the order of that list. Without a range a list returns every row. */
export interface ListRange {
  /** Rows after this position. The row at the position need not exist any more. */
  after?: ListPosition;
  /** Maximum number of rows. */
  limit?: number;
}
