/** Dates of answers, which JSON carries as texts. */

/** What the application wrote or another party defines: whatever its fields are called, it stays as it was sent. */
const foreign = new Set(['metadata', 'claims', 'contributions', 'options']);

/** The answer with a `Date` for every time of the service: those are the fields whose names end with `At`. */
export function withDates(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withDates);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => {
      if (foreign.has(name)) return [name, field];
      const isTime = typeof field === 'string' && name.endsWith('At');
      return [name, isTime ? new Date(field) : withDates(field)];
    }),
  );
}
