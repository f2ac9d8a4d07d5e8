/**
 * User names: one strict form, unique without regard to case (RFC 8265, UsernameCaseMapped).
 * Malformed names are rejected, never repaired, except for case and composition.
 */
import { InvalidRequestError } from '../errors/catalog.js';
import { lazily } from '../runtime/load.js';
import { identifierLetters } from './identifier-letters.js';
import { imitationOf } from './imitations.js';
import { isUuid } from './uuid.js';

/** A user name as it is displayed, and the form by which it is unique and found. */
export interface Username {
  name: string;
  key: string;
}

const maxLength = 32;
// Compiling Unicode classes takes 3 ms, so they are compiled with the first user name and not at startup.
const patterns = lazily(() => {
  // Letters, marks and digits (LetterDigits of RFC 8264, and U+3007), with single separators between them. No "@", so that no
  // user name is an address.
  const first = String.raw`[\p{Ll}\p{Lu}\p{Lo}\p{Lm}\p{Nd}\u3007]`;
  const word = String.raw`${first}(?:${first}|[\p{Mn}\p{Mc}])*`;
  return {
    form: new RegExp(`^${word}(?:[._-]${word})*$`, 'u'),
    // Letters that are invisible, only lengthen a word, or spell what another letter spells: RFC 5892 disallows them (2.6, 2.9).
    disallowed:
      /\p{Default_Ignorable_Code_Point}|[\u0640\u3031-\u3035\u303b\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff]|\u302e|\u302f/u,
    // Phonetic letters, small capitals and letters that no language uses any more imitate others (UTS 39, 3.1).
    restricted: new RegExp(`[^\\p{Script=Han}${codePoints(identifierLetters)}._-]`, 'u'),
    // Two sets of digits in one name look alike (RFC 5892, A.8; UTS 39, 5.3).
    digitSets: [/[0-9]/, /[\u0660-\u0669]/, /[\u06f0-\u06f9]/, /(?![0-9\u0660-\u0669\u06f0-\u06f9])\p{Nd}/u],
    // A digit before letters that are written from right to left is displayed after them (RFC 5893, 2).
    digitBeforeRightToLeft: /^\p{Nd}.*[\p{scx=Hebrew}\p{scx=Arabic}]|^[\u0660-\u0669\u06f0-\u06f9]/u,
    // One script per name: a Cyrillic letter among Latin ones looks like another name. Japanese, Korean
    // and Chinese names mix scripts that cannot be confused (UTS 39, 5.2).
    scripts: [
      ...singleScripts.map((script) => ofScripts(script)),
      ofScripts('Han', 'Hiragana', 'Katakana'),
      ofScripts('Han', 'Hangul'),
    ],
  };
});

/** The scripts of user names that are written in one script. */
const singleScripts = [
  'Latin',
  'Greek',
  'Cyrillic',
  'Armenian',
  'Georgian',
  'Hebrew',
  'Arabic',
  'Devanagari',
  'Bengali',
  'Tamil',
  'Telugu',
  'Thai',
  'Ethiopic',
];

/** Every script of user names, for scripts/generate-identifier-letters.ts. */
export const usernameScripts = [...singleScripts, 'Han', 'Hiragana', 'Katakana', 'Hangul'];

// Names that a reader would take for the application or its operators, and those of missing values.
const reserved = lazily(() =>
  imitationOf(
    'admin administrator api auth everyone false help hostmaster infinity info login logout me moderator nan null official owner postmaster root security signin signup staff support system true undefined user users webmaster'.split(
      ' ',
    ),
  ),
);

/**
 * Returns the user name and its key.
 * @throws InvalidRequestError if the name is malformed, mixes scripts (reason `username_invalid`) or
 * is or imitates a reserved one (reason `username_reserved`).
 */
export function parseUsername(input: unknown): Username {
  const name = typeof input === 'string' && input.length <= 4 * maxLength ? input.normalize('NFC') : '';
  const key = usernameKey(name);
  const isWellFormed = patterns().form.test(name) && [...name].length <= maxLength && !isUuid(key);
  // Compatibility characters, such as full-width letters and ligatures, look like others.
  if (!isWellFormed || name.normalize('NFKC') !== name || !hasOneScript(name) || isAmbiguous(name)) {
    throw refusedUsername(
      `username must be 1 to ${maxLength} letters and digits of one script`,
      'username_invalid',
    );
  }
  if (isReservedUsername(name, key))
    throw refusedUsername('username must not be a reserved name', 'username_reserved');
  return { name, key };
}

/** Returns whether a name, or its key, is a reserved one or looks like one. */
export function isReservedUsername(name: string, key: string): boolean {
  return reserved()(name, key);
}

/** Returns the form by which a user name is found. For names as a user types them. */
export function usernameKey(name: string): string {
  return name.normalize('NFC').toLowerCase().normalize('NFC');
}

/** Returns the error for a user name that must not be set; `rule` completes the message. */
export function refusedUsername(rule: string, reason: string): InvalidRequestError {
  return new InvalidRequestError(`${rule}.`, { field: 'username', reason });
}

/** Returns the content of a class for code points and ranges in hexadecimal digits. */
function codePoints(ranges: string): string {
  return ranges.replace(/[0-9a-f]+/g, String.raw`\u{$&}`).replaceAll(' ', '');
}

function ofScripts(...names: string[]): RegExp {
  const classes = names.map((name) => `\\p{scx=${name}}`).join('');
  return new RegExp(`^[${classes}]*$`, 'u');
}

/** Whether another name can look like this one, although it has one script. */
function isAmbiguous(name: string): boolean {
  const { digitSets, disallowed, restricted, digitBeforeRightToLeft } = patterns();
  const usedDigitSets = digitSets.filter((digits) => digits.test(name));
  return (
    disallowed.test(name) ||
    restricted.test(name) ||
    usedDigitSets.length > 1 ||
    digitBeforeRightToLeft.test(name)
  );
}

function hasOneScript(name: string): boolean {
  // ASCII digits belong to every script; other digits only to their own.
  const letters = name.replace(/[0-9._-]/g, '');
  return patterns().scripts.some((script) => script.test(letters));
}
