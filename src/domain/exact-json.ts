/** JSON from other services, whose identifiers may be integers of 64 bits. */

// In valid JSON, every quote begins a string and every other digit belongs to a number.
const stringsAndNumbers = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/gs;

/**
 * Parses JSON like `JSON.parse`, but returns an integer above 2^53 as the string of its digits: as a number, it would be rounded, and two
 * users with neighboring identifiers would be one.
 * @throws SyntaxError
 */
export function parseExactJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  // An integer that is rounded has at least 16 digits, perhaps with a point: 1.2345678901234567e19.
  if (!/\d[\d.]{15}/.test(text)) return value;
  return JSON.parse(text.replace(stringsAndNumbers, (token) => (isRounded(token) ? `"${token}"` : token)));
}

function isRounded(token: string): boolean {
  if (token.startsWith('"') || token.replace(/\D/g, '').length < 16) return false;
  return Number.isInteger(Number(token)) && !Number.isSafeInteger(Number(token));
}
