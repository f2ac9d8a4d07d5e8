/** Names that people give to things of theirs: organisations, API keys. */
import { InvalidRequestError } from '../errors/catalog.js';

/** The name, trimmed. @throws InvalidRequestError when it is none: empty, over 100 characters, or of more than one line. */
export function parseName(name: unknown): string {
  const text = typeof name === 'string' ? name.trim() : '';
  // What PostgreSQL cannot keep, and what would break a line, is no part of a name.
  if (text === '' || text.length > 100 || /[\p{Cc}\p{Cs}]/u.test(text)) {
    throw new InvalidRequestError('name must be a string of 1 to 100 characters on one line.');
  }
  return text;
}
