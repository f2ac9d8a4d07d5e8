/** The rule for the reason of a refusal: every 401, 403 and 429 has one of the table, and a response of production none. */
import { reasons } from '../../src/errors/reasons.js';
import type { HttpResponse } from './http-client.js';

const refused = [401, 403, 429];

/** Whether a code can have this reason. */
export function isReasonOf(code: string, reason: string): boolean {
  if (reason.startsWith('limit:')) return ['rate_limit_exceeded', 'max_attempts_exceeded'].includes(code);
  const codes: readonly string[] | undefined = reasons[reason as keyof typeof reasons];
  return codes?.includes(code) === true;
}

export function checkReason({ status, headers, json }: Pick<HttpResponse, 'status' | 'headers' | 'json'>) {
  const { error, diagnosis } = (json ?? {}) as { error?: string; diagnosis?: string };
  const reason = headers['svc-auth-reason'];
  expect(diagnosis).toBe(reason);
  const isShown = process.env['NODE_ENV'] !== 'production' && refused.includes(status);
  if (!isShown) return expect(reason).toBeUndefined();
  expect({ error, reason, isListed: isReasonOf(String(error), String(reason)) }).toEqual({
    error,
    reason,
    isListed: true,
  });
}

/** Returns a body without the reason, which only responses outside production have. */
export function asInProduction(body: unknown): unknown {
  const { diagnosis: _, ...others } = body as Record<string, unknown>;
  return others;
}
