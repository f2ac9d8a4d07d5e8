/** Names that users give to organizations, API keys, passkeys, apps and devices. */
import { InvalidRequestError } from '../errors/catalog.js';

const directions = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

/** Returns whether a reader sees anything of the text. */
export function isVisible(text: string): boolean {
  return /[^\p{Default_Ignorable_Code_Point}\p{Cf}\p{White_Space}\u2800\u{1d159}]/u.test(text);
}

/** Returns text without what would reorder the text around it: for names that are shown as they came, such as those of devices. */
export function withoutDirections(text: string): string {
  return text.replace(new RegExp(directions, 'gu'), '');
}

/** The most characters of a name, in code points: in UTF-16, letters of some scripts and most emoji count twice. */
export const maxNameLength = 100;

/**
 * Returns the name, trimmed. @throws InvalidRequestError if it is empty or invisible, over 100 characters, has more than four marks on
 * one letter, which would cover the lines around it (UTS 39, 5.4), or has a line break or a control of direction, which would reorder
 * the text around it (UAX 9, UTS 55).
 */
export function parseName(name: unknown): string {
  const text = typeof name === 'string' ? name.trim() : '';
  if (!isName(text)) {
    throw new InvalidRequestError(
      `name must be a string of 1 to ${maxNameLength} characters on one line, without controls of direction.`,
    );
  }
  return text;
}

/** Returns whether a trimmed text has the form of a name: see `parseName`. */
export function isName(text: string): boolean {
  return (
    isVisible(text) &&
    // The number of code units first, so that no long text is split.
    text.length <= 2 * maxNameLength &&
    [...text].length <= maxNameLength &&
    // Control characters and lone surrogates: PostgreSQL cannot store some of them, and others break lines.
    !/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(text) &&
    !directions.test(text) &&
    !/[\p{Mn}\p{Me}]{5}/u.test(text.normalize('NFD'))
  );
}
