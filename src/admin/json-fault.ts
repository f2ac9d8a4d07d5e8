/** Finds where a string stops being JSON (RFC 8259). The messages of `JSON.parse` differ, and most contain no position. */

/** A string with more levels is refused: the metadata of a user has at most 8 levels, and the recursion must end. */
const maxDepth = 100;

const blanks = /[ \t\n\r]*/y;
// Control characters must be escaped in a string.
const scalars =
  // eslint-disable-next-line no-control-regex -- to refuse them
  /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfn]|[rt]|u[0-9a-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

/** Returns the line and the column, from 1 on, of the first character that does not fit. Null if the string is JSON. */
export function jsonFault(text: string): { line: number; column: number } | null {
  let position = 0;
  let fault: number | null = null;
  let depth = 0;

  const skip = (pattern: RegExp): boolean => {
    pattern.lastIndex = position;
    const match = pattern.exec(text);
    position += match?.[0].length ?? 0;
    return match !== null;
  };
  const accept = (character: string): boolean => {
    skip(blanks);
    if (text[position] !== character) return false;
    position += 1;
    return true;
  };
  const fail = (): false => {
    fault ??= position;
    return false;
  };
  const members = (end: string, member: () => boolean): boolean => {
    if (accept(end)) return true;
    depth += 1;
    if (depth > maxDepth) return fail();
    do {
      skip(blanks);
      if (!member()) return fail();
    } while (accept(','));
    depth -= 1;
    return accept(end) || fail();
  };
  const scalar = () => skip(scalars) || fail();
  const named = () => (text[position] === '"' ? scalar() && (accept(':') || fail()) && value() : fail());
  const value = (): boolean => {
    if (accept('{')) return members('}', named);
    if (accept('[')) return members(']', value);
    return scalar();
  };

  const isValue = value();
  skip(blanks);
  if (isValue && position === text.length) return null;
  const before = text.slice(0, fault ?? position).split('\n');
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 };
}
