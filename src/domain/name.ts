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

/**
 * Returns the name, trimmed. @throws InvalidRequestError if it is empty or invisible, over 100 characters, or
 * has a line break or a control of direction, which would reorder the text around it (UAX 9, UTS 55).
 */
export function parseName(name: unknown): string {
  const text = typeof name === 'string' ? name.trim() : '';
  // Rejects control characters and lone surrogates: PostgreSQL cannot store some of them, and
  // others break lines.
  if (
    !isVisible(text) ||
    text.length > 100 ||
    /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(text) ||
    directions.test(text)
  ) {
    throw new InvalidRequestError(
      'name must be a string of 1 to 100 characters on one line, without controls of direction.',
    );
  }
  return text;
}
