/** The greatest number of sign-ins of a user: `session.maxPerUser`. */

export interface SignInLimit {
  /**
   * How many sessions and refresh families the user may have together, including the new one. One
   * that is revoked, expired or of an earlier epoch does not count.
   */
  max: number;
  /** Id of the session or family of the user that the new sign-in replaces. It ends, and does not count. */
  replaces?: string | undefined;
  /** Id of the session or family of the user that asks for the new one. It counts as the newest of the others, so it ends last. */
  keeps?: string | undefined;
}

/** Ids of what a sign-in has ended, in no particular order. */
export interface EndedSignIns {
  sessions: string[];
  families: string[];
}
