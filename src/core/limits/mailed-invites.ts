/**
 * Which addresses have an invitation, for lists that are sent again. Counters of the limits say so in every process, for as long as the
 * link of an invitation works.
 */
import { RateLimitError } from '../../errors/catalog.js';
import type { ConsumedLimits } from './consumed-limits.js';
import type { Limiter } from './limiter.js';
import { day, minute, type RateLimit } from './rate-limits.js';

/** How long the link of an invitation works. */
export const inviteTtlMs = 7 * day;

const sent = (email: string): RateLimit[] => [
  { name: 'user-invite:sent', subject: email, max: 1, windowMs: inviteTtlMs, isPace: true },
];

/** Short, because a process that is killed does not end its turn. */
const turn = (email: string): RateLimit[] => [
  { name: 'user-invite:turn', subject: email, max: 1, windowMs: minute, isPace: true },
];

type Counting = Pick<Limiter, 'consume' | 'isUsedUp'>;

/** Notes that an invitation was mailed. Never throws: without the note, a list that is sent again mails the address again. */
export async function noteMailedInvite(limiter: Counting, email: string): Promise<void> {
  await limiter.consume(sent(email)).catch(() => undefined);
}

export function wasInvited(limiter: Counting, email: string): Promise<boolean> {
  return limiter.isUsedUp(sent(email));
}

/** Returns the turn of an address, for the caller to refund when it has been invited. Null if another call has it, in any process. */
export async function inviteTurn(limiter: Counting, email: string): Promise<ConsumedLimits | null> {
  try {
    return await limiter.consume(turn(email));
  } catch (error) {
    if (error instanceof RateLimitError) return null;
    throw error;
  }
}
