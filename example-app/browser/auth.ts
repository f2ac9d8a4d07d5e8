/** The client of the routes, and what the pages make of its errors. */
import { createClient } from 'svc-auth/client';

/**
 * The account that this page shows. Routes that change something answer `session_changed` if the browser has signed in to
 * another one since, in another tab for example.
 */
const { user } = document.body.dataset;
export const pageHeaders: Record<string, string> = user ? { 'svc-user': user } : {};

export const auth = createClient({ baseUrl: '/api/auth', headers: pageHeaders });

/** What actions fail with: errors of the client, and of the pages' own routes. */
export interface Failure extends Error {
  code?: string;
  /** The field of the request that is at fault. */
  field?: string;
  retryAfterMs?: number;
}

/** The code of an error; of one that is none of the service's, `internal_error`. */
export function codeOf(error: unknown): string {
  return (error as Failure).code ?? 'internal_error';
}
