/** Names that look like another name (Unicode Technical Standard 39, 4). */
import { lazily } from '../runtime/load.js';
import { lookalikes } from './identifier-letters.js';

/** ASCII by the letters that look like it. */
const asciiOf = lazily(
  () =>
    new Map(
      Object.entries(lookalikes).flatMap(([ascii, codes]) =>
        codes.split(' ').map((code) => [String.fromCodePoint(parseInt(code, 16)), ascii] as const),
      ),
    ),
);

/** Returns the same string for strings that look alike (UTS 39, 4). Only what looks like ASCII is mapped. */
function skeleton(text: string): string {
  // A Turkish i has a dot also as a capital letter.
  const letters = text.normalize('NFD').replace(/(?<=[Ii])\u0307/gu, '');
  return Array.from(letters, (letter) => asciiOf().get(letter) ?? letter).join('');
}

/**
 * Returns a function that checks if a user name is one of these names or looks like one, in upper, lower or mixed case. It takes the name
 * and its key.
 */
export function imitationOf(names: readonly string[]): (...forms: string[]) => boolean {
  const escaped = (letter: string) => skeleton(letter).replace(/[^\p{L}\p{M}\p{N}]/gu, String.raw`\$&`);
  const inAnyCase = (letter: string) => `(?:${escaped(letter)}|${escaped(letter.toUpperCase())})`;
  const patterns = names.map((name) => Array.from(name, inAnyCase).join(''));
  const imitation = new RegExp(`^(?:${patterns.join('|')})$`);
  return (...forms) => names.length > 0 && forms.some((form) => imitation.test(skeleton(form)));
}
