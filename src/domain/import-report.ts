/** What an import reports: to the caller, and in the error that ends it. */

/** A record that was not imported, or only in part. */
export interface ImportFault {
  /** Number of the record, from 0. */
  index: number;
  externalId: string | null;
  /** Stable, such as `email_taken`, `hash_unknown` or `invalid_request`. */
  reason: string;
  /** For the person who reads the report. Without secrets. */
  message: string;
  /** Name of the field, such as `passwordHash`. */
  field?: string;
}

export interface ImportReport {
  /** Records that were read. */
  read: number;
  /** Accounts that were created. */
  created: number;
  /** Accounts that got something that they did not have (`onConflict: 'merge'`). */
  merged: number;
  /** Accounts of an earlier import whose password has changed in the old system since (`updatePasswords`). */
  renewed: number;
  /** Records that an earlier import has brought. */
  unchanged: number;
  /** Records that were left out because of a conflict. */
  skipped: number;
  /** Records that cannot be imported. */
  refused: number;
  faults: ImportFault[];
  /** What the person should know, such as that addresses are not verified. */
  warnings: string[];
}
