/** The form in which passwords are compared with lists of common ones. It is never hashed or stored. */

/**
 * Returns the password in lower case, in Unicode's compatible composition (NFKC), without white space at its ends: people who vary a
 * common password begin with a capital letter, and keyboards differ in how they compose an accent.
 */
export function foldPassword(password: string): string {
  return password.normalize('NFKC').trim().toLowerCase();
}
