/** The client of the routes, and what the pages make of its errors. */
import { createClient } from 'svc-auth/client';

export const auth = createClient({ baseUrl: '/api/auth' });

/** What actions fail with: errors of the client, and of the pages' own routes. */
export interface Failure extends Error {
  code?: string;
  retryAfterMs?: number;
}

/** The code of an error; of one that is none of the service's, `internal_error`. */
export function codeOf(error: unknown): string {
  return (error as Failure).code ?? 'internal_error';
}
