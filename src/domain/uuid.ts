/** The form of the ids of users, organizations and other records. */
const form = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Accepts lower case only, as the engine creates ids, and as the adapters compare them. */
export function isUuid(text: unknown): boolean {
  return typeof text === 'string' && form.test(text);
}

/** Returns the id that an import keeps of a string that is a UUID in any case, or null. */
export function keptIdOf(text: string | null): string | null {
  const id = text === null ? null : text.toLowerCase();
  return isUuid(id) ? id : null;
}
