/**
 * The address or number that a user wants for the account, while the mailed code is awaited. It is in the cookie of the flow, so that the
 * page survives a reload, and signed for the user: a cookie that another site or person has set decides nothing about the account.
 */
import { internals } from '../core/internals.js';
import type { PendingKind } from './flow.js';
import type { Visit } from './page.js';

/** Stores the value with the response, or removes it if it is undefined. */
export function keepPending(
  visit: Visit,
  userId: string,
  kind: PendingKind,
  value: string | undefined,
): void {
  const { formTokens } = visit.service[internals];
  const { [kind]: _, ...others } = visit.flow.pending ?? {};
  const kept =
    value === undefined ? {} : { [kind]: { value, proof: formTokens.issueProof(userId, kind, value) } };
  visit.keep({ pending: { ...others, ...kept } });
}

/** Returns the value that waits for its code. Undefined if there is none, or if it belongs to another user. */
export function pendingOf({ flow, service }: Visit, userId: string, kind: PendingKind): string | undefined {
  const { formTokens } = service[internals];
  const pending = flow.pending?.[kind];
  return pending && formTokens.isProof(userId, kind, pending.value, pending.proof)
    ? pending.value
    : undefined;
}
