/** Compares a translation with the English sentences: TypeScript does so too, but not in an application in JavaScript. */

interface TextFault {
  path: string[];
  message: string;
}

/** Returns what is missing, and what has another type. */
export function textFaults(own: unknown, english: object): TextFault[] {
  return Object.entries(english).flatMap(([name, text]: [string, unknown]) => {
    const value = isObject(own) && Object.hasOwn(own, name) ? own[name] : undefined;
    if (isObject(text) && isObject(value))
      return textFaults(value, text).map(({ path, message }) => ({ path: [name, ...path], message }));
    if (value === undefined) return [{ path: [name], message: 'is missing' }];
    return typeof value === typeof text
      ? []
      : [{ path: [name], message: `must be ${isObject(text) ? 'an object' : `a ${typeof text}`}` }];
  });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
