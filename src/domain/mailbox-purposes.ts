/** Which pending codes of a user are mailed to the address of the account. */
import type { CodePurpose } from './one-time-code.js';

/**
 * The purposes whose subject is the user's id and whose codes are mailed to the account's address.
 * While that address is unverified, its mailbox may belong to someone else, so the user's actions
 * must not remove what was sent there.
 */
export const mailboxPurposes: readonly CodePurpose[] = ['email_verification'];
