/** Which pending secrets of a user are mailed to the address of the account. */
import type { CodePurpose } from './one-time-code.js';
import type { TokenPurpose } from './single-use-token.js';

/**
 * The purposes whose subject is the user's id and that are mailed to the account's address. While that address is unverified, its
 * mailbox may belong to someone else, and what was sent there is not the user's to remove.
 */
export const mailboxPurposes: readonly (CodePurpose | TokenPurpose)[] = [
  'password_reset',
  'email_verification',
];
