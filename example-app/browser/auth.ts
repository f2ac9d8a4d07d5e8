/** The client of the routes, and the errors that the pages handle. */
import { createClient } from 'svc-auth/client';

/**
 * The account that this page shows. Routes that change something return `session_changed` if the browser has signed in to
 * another account in the meantime, for example in another tab.
 */
const { user } = document.body.dataset;
export const pageHeaders: Record<string, string> = user ? { 'svc-user': user } : {};

export const auth = createClient({ baseUrl: '/api/auth', headers: pageHeaders });

/** Errors of the client and of the application's own routes. */
export interface Failure extends Error {
  code?: string;
  /** The invalid field of the request. */
  field?: string;
  retryAfterMs?: number;
}

/** Returns the code of an error, or `internal_error` if it has none. */
export function codeOf(error: unknown): string {
  return (error as Failure).code ?? 'internal_error';
}
