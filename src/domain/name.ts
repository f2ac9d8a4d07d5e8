/** Names that users give to organizations and API keys. */
import { InvalidRequestError } from '../errors/catalog.js';

/**
 * Returns the name, trimmed. @throws InvalidRequestError if it is empty, over 100 characters, or
 * has a line break.
 */
export function parseName(name: unknown): string {
  const text = typeof name === 'string' ? name.trim() : '';
  // Rejects control characters and lone surrogates: PostgreSQL cannot store some of them, and
  // others break lines.
  if (text === '' || text.length > 100 || /[\p{Cc}\p{Cs}]/u.test(text)) {
    throw new InvalidRequestError('name must be a string of 1 to 100 characters on one line.');
  }
  return text;
}
