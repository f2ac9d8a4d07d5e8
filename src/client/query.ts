/** The pages and conditions of lists, as a query. */

/** A page of a list. `limit` is the maximum number of rows: 100 by default, at most 200. */
export interface PageInput {
  /** `nextCursor` of the previous page. The first page if absent or null. */
  cursor?: string | null;
  limit?: number;
}

type QueryValue = string | number | boolean | Date | null | undefined;

/**
 * Returns the path of a list with its page and conditions in the query. Evaluated within the
 * request, as `at` is.
 */
export function withQuery<Input extends { [Name in keyof Input]: QueryValue }>(
  path: string | (() => string),
  input?: Input,
): () => string {
  return () => {
    const parameters = Object.entries<QueryValue>(input ?? {}).flatMap(([name, value]) => {
      if (value === undefined || value === null) return [];
      const text = value instanceof Date ? value.toISOString() : String(value);
      return [`${name}=${encodeURIComponent(text)}`];
    });
    const query = parameters.length === 0 ? '' : `?${parameters.join('&')}`;
    return (typeof path === 'string' ? path : path()) + query;
  };
}
