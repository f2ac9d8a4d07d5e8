/**
 * Remembers the user whom a page shows. If another tab signs in as another user with the same
 * cookies, the routes refuse the requests of this page.
 */
type Headers = Record<string, string>;

// Their responses contain users whom they do not sign in.
const otherUsers = /^\/(?:password\/reset$|admin\/)/;

export interface RememberedUser {
  /**
   * Returns the header for a request, or none if it only reads or if the application sets
   * credentials itself.
   */
  headersFor(method: string, given: Headers | undefined): Headers;
  /** Updates the user from a response. */
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
      else if (typeof id === 'string' && !otherUsers.test(path)) shown = id;
    },
  };
}
