/** Every text in a value, wherever it is: properties that are hidden, causes of errors, bytes, keys of objects. */

export interface FoundText {
  /** Such as `session.token`; an item of a list has the path of the list. */
  path: string;
  text: string;
}

const deepest = 8;
// Somebody else's object, a socket for example, has no end.
const most = 3_000;

export function textsIn(value: unknown): FoundText[] {
  const found: FoundText[] = [];
  const seen = new Set<object>();

  function visit(item: unknown, path: string, depth: number): void {
    if (typeof item === 'string') {
      if (item !== '') found.push({ path, text: item });
      return;
    }
    if (typeof item !== 'object' || item === null) return;
    if (seen.has(item) || depth > deepest || seen.size > most) return;
    seen.add(item);
    if (isRevoked(item)) return;
    if (item instanceof Uint8Array) return visitBytes(item, path);
    if (item instanceof Date) return;
    if (item instanceof URL || item instanceof URLSearchParams) return visit(String(item), path, depth);
    if (item instanceof Map || item instanceof Set) return visit([...item], path, depth + 1);
    for (const key of keysOf(item)) {
      const inside = Array.isArray(item) ? path : path === '' ? key : `${path}.${key}`;
      // Names of fields are short; a longer one may be somebody's data.
      if (key.length > 16) visit(key, `${path} (a name)`, depth);
      visit(read(item, key), inside, depth + 1);
    }
  }

  function visitBytes(bytes: Uint8Array, path: string): void {
    const buffer = Buffer.from(bytes);
    for (const encoding of ['utf8', 'hex', 'base64url'] as const)
      found.push({ path, text: buffer.toString(encoding) });
  }

  visit(value, '', 0);
  return found;
}

/** A proxy that was revoked can be asked nothing, not even what it is. */
function isRevoked(item: object): boolean {
  try {
    Object.getPrototypeOf(item);
    return false;
  } catch {
    return true;
  }
}

/** Own names, those that are not enumerable and symbols included. What cannot be asked has none. */
function keysOf(item: object): string[] {
  try {
    const names = Object.getOwnPropertyNames(item);
    return Array.isArray(item) ? names.filter((name) => name !== 'length') : names;
  } catch {
    return [];
  }
}

function read(item: object, key: string): unknown {
  try {
    return (item as Record<string, unknown>)[key];
  } catch {
    return undefined;
  }
}
