/**
 * The epoch and the end of sessions of a user, with the lockdowns of everyone (docs/decisions/lockdown.md). `svc_lockdown` has one row,
 * which the statement reads once, whatever the number of users. Its number is added to every epoch that is read.
 */

/** SQL for the number of lockdowns of everyone. 0 if `clear()` has removed the row. */
export const lockdowns = 'coalesce((select epochs from svc_lockdown), 0)';

/** SQL for the time of the last one, or null. */
export const lockdownTime = '(select started_at from svc_lockdown)';

/** SQL for the epoch of a user. @param users the table or its alias. */
export const epochOf = (users: string) => `(${users}.epoch + ${lockdowns})`;

/** SQL for the time of the last revocation of all sessions of a user, or null. */
export const sessionsValidAfterOf = (users: string) => {
  const own = `${users}.sessions_valid_after`;
  return `case when ${own} > ${lockdownTime} then ${own} else coalesce(${lockdownTime}, ${own}) end`;
};

/** Condition: the session has not ended with a lockdown of everyone. For lists: a check compares epochs. */
export const isAfterLockdown = (sessions: string) =>
  `(${lockdownTime} is null or ${sessions}.created_at > ${lockdownTime})`;
