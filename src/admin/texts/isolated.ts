/** Values in sentences without markup. Their order must not depend on the Arabic words around them (UAX 9, 2.4). */

/** A name, in the direction of its first letter. */
export const isolated = (name: string) => `\u2068${name}\u2069`;
