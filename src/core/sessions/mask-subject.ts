/** The account that a failed sign-in names, for the log. */
import { maskEmailAddress } from '../../domain/email-address.js';
import { maskPhoneNumber } from '../../domain/phone-number.js';
import { isUuid } from '../../domain/uuid.js';

/** @param subject an address, phone number, user name or user id. */
export function maskSubject(subject: string): string {
  if (subject.includes('@')) return maskEmailAddress(subject);
  if (subject.startsWith('+')) return maskPhoneNumber(subject);
  // A user name, or what a user typed as one: it may be a password.
  return isUuid(subject) ? subject : `${[...subject][0] ?? ''}***`;
}
