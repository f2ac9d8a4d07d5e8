/** Counters of what has happened, by period, and which users were active in it. Required by the option `statistics`. */

export interface StatisticsCount {
  /** In UTC: an hour `2031-05-06T07`, a day `2031-05-06`, a month `2031-05` or a year `2031`. */
  period: string;
  /** What is counted, such as `sign_ins`. At most 40 characters of ASCII. */
  name: string;
  /** A kind of it, such as a sign-in method; empty without kinds. At most 64 characters of ASCII. */
  label: string;
  count: number;
}

export interface StatisticsAddition extends StatisticsCount {
  /** When a purge removes the counter. Null for a counter that is kept. */
  expiresAt: Date | null;
}

export interface ActiveUsers {
  period: string;
  userIds: readonly string[];
  /** When a purge removes the record of these users. */
  expiresAt: Date;
  /** When a purge removes the counter of the period. */
  countExpiresAt: Date | null;
}

export interface StatisticsRepository {
  /**
   * Adds to counters, which are created if they do not exist. Records the users of each period who are not recorded yet, and adds their
   * number to the counter `active_users` of the period, without a label. Unknown users are left out. Everything or nothing: a call that
   * rejects may be repeated. Parallel calls lose nothing, count a user once per period, and do not deadlock.
   */
  add(counts: readonly StatisticsAddition[], active: readonly ActiveUsers[]): Promise<void>;
  /** Returns the counters of these periods, in any order. Reads nothing else, however many users and records there are. */
  read(periods: readonly string[]): Promise<StatisticsCount[]>;
}

/** The counter that `add` raises by the users whom it has recorded. */
export const activeUsersCounter = 'active_users';
