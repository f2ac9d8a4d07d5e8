/**
 * Remembers the user that a page shows. Another tab may sign in as another user with the same cookies; the routes then refuse what
 * this page asks for.
 */
type Headers = Record<string, string>;

// Returns the user of a mailed link, who is not signed in by it.
const reset = '/password/reset';

export interface RememberedUser {
  /** Returns the header for a request, or none if it only reads or carries credentials of the application's choice. */
  headersFor(method: string, given: Headers | undefined): Headers;
  /** Learns from a response whose session the page shows from now on. */
  learn(path: string, response: Record<string, unknown>): void;
}

export function rememberUser(): RememberedUser {
  let shown: string | undefined;
  return {
    headersFor(method, given = {}) {
      const isExplicit = Object.keys(given).some((name) => /^(?:authorization|cookie)$/i.test(name));
      const headers: Headers = {};
      if (shown !== undefined && method !== 'GET' && !isExplicit) headers['svc-user'] = shown;
      return headers;
    },
    learn(path, { user, error }) {
      const id = (user as { id?: unknown } | undefined)?.id;
      if (path === '/logout' || (path === '/session' && error === 'token_invalid')) shown = undefined;
      else if (typeof id === 'string' && path !== reset) shown = id;
    },
  };
}
