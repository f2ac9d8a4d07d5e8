/** Passwords that consist of what an attacker knows about an account: its address, its user name, and the name of the application. */
import { foldPassword } from './fold-password.js';

/** A shorter word is part of too many passwords: `ed` of `rented flat`. */
const shortestWord = 3;
/** What may follow a word without making it a password: a year, a date, `123!`. More digits can be random ones. */
const mostAdded = 8;

/** Returns whether a password is one of the words, or several of them, with at most seven digits and signs added. */
export function consistsOfWords(password: string, words: readonly (string | null | undefined)[]): boolean {
  const folded = foldPassword(password);
  const known = words.map((word) => foldPassword(word ?? '')).filter((word) => word !== '');
  if (known.includes(folded)) return true;
  const parts = [...known, ...known.flatMap((word) => word.split(/[^\p{L}\p{N}]+/u))]
    .filter((word) => [...word].length >= shortestWord)
    // The longest first: `ada.lovelace` before `ada`.
    .sort((a, b) => b.length - a.length);
  const rest = parts.reduce((text, word) => text.replaceAll(word, ''), folded);
  return rest !== folded && [...rest].length < mostAdded && !/\p{L}/u.test(rest);
}

/** Returns the address, and its local part. */
export function wordsOfAddress(email: string | null): string[] {
  return email === null ? [] : [email, email.slice(0, email.lastIndexOf('@'))];
}
