/** Finds every string in a value, including non-enumerable properties, causes of errors, bytes and keys of objects. */

export interface StringAtPath {
  /** For example `session.token`; an item of an array has the path of the array. */
  path: string;
  text: string;
}

const maxDepth = 8;
// A foreign object, such as a socket, may be practically unbounded.
const maxObjects = 3_000;

export function findStrings(value: unknown): StringAtPath[] {
  const strings: StringAtPath[] = [];
  const visited = new Set<object>();

  function visit(item: unknown, path: string, depth: number): void {
    if (typeof item === 'string') {
      if (item !== '') strings.push({ path, text: item });
      return;
    }
    if (typeof item !== 'object' || item === null) return;
    if (visited.has(item) || depth > maxDepth || visited.size > maxObjects) return;
    visited.add(item);
    if (isRevoked(item)) return;
    if (item instanceof Uint8Array) return visitBytes(item, path);
    if (item instanceof Date) return;
    if (item instanceof URL || item instanceof URLSearchParams) return visit(String(item), path, depth);
    if (item instanceof Map || item instanceof Set) return visit([...item], path, depth + 1);
    for (const key of keysOf(item)) {
      const childPath = Array.isArray(item) ? path : path === '' ? key : `${path}.${key}`;
      // Field names are short; a longer key may be user data.
      if (key.length > 16) visit(key, `${path} (a name)`, depth);
      visit(read(item, key), childPath, depth + 1);
    }
  }

  function visitBytes(bytes: Uint8Array, path: string): void {
    const buffer = Buffer.from(bytes);
    for (const encoding of ['utf8', 'hex', 'base64url'] as const)
      strings.push({ path, text: buffer.toString(encoding) });
  }

  visit(value, '', 0);
  return strings;
}

/** Every operation on a revoked proxy throws. */
function isRevoked(item: object): boolean {
  try {
    Object.getPrototypeOf(item);
    return false;
  } catch {
    return true;
  }
}

/** Returns the own property names, including non-enumerable ones; none if reading them throws. */
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
