/** Converts the timestamps of responses, which are strings in JSON. */

/** Objects that the application or a standard defines. Their fields are not converted. */
const foreign = new Set(['metadata', 'claims', 'contributions', 'options']);

/** The times of a block. */
const otherTimes = new Set(['at', 'until']);

/**
 * Returns a response with a `Date` for every timestamp: the fields whose names end with `At`, and
 * those of a block.
 */
export function withDates(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withDates);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => {
      if (foreign.has(name)) return [name, field];
      const isTime = typeof field === 'string' && (name.endsWith('At') || otherTimes.has(name));
      return [name, isTime ? new Date(field) : withDates(field)];
    }),
  );
}
