/**
 * When this browser was last sent a code or a link: the button that sends another one counts from then, and not from each view of its page.
 * The times are in the cookie of the flow and protect nothing. The limits in the storage decide what is sent.
 */
import { sha256 } from '../crypto/digest.js';
import type { CodePurpose } from '../domain/one-time-code.js';
import { isServiceError, type ServiceErrorCode } from '../errors/service-error.js';
import { internals } from '../core/internals.js';
import { maxNotes, type SentNote } from './flow.js';
import type { Entry } from './page.js';

/** How long the button waits: about as long as a mail takes to arrive. */
const pauseMs = 30_000;

/** Notes that a code or a link is on its way. @param to the address or number, or the secret of the sign-in that it belongs to. */
export function noteSent(visit: Entry, purpose: CodePurpose, to: string): void {
  const name = nameOf(purpose, to);
  const others = (visit.flow.sent ?? []).filter(([each]) => each !== name);
  const note: SentNote = [name, visit.service[internals].clock()];
  visit.keep({ sent: [...others, note].slice(-maxNotes) });
}

/** Returns for how many seconds the button still waits. 0 if this browser was sent nothing, or needs another code at once. */
export function resendPause(visit: Entry, purpose: CodePurpose, to: string): number {
  const sentAt = noteOf(visit, purpose, to)?.[1];
  if (sentAt === undefined) return 0;
  const leftMs = sentAt + pauseMs - visit.service[internals].clock();
  // A clock that was moved back, or a cookie that was changed.
  return leftMs > pauseMs ? 0 : Math.max(0, Math.ceil(leftMs / 1000));
}

/** Returns for how many seconds what this browser was sent is still valid. Null if it was sent nothing. */
export function validFor(visit: Entry, purpose: CodePurpose, to: string, ttlMs: number): number | null {
  const sentAt = noteOf(visit, purpose, to)?.[1];
  // 0 after a code that was refused: the pauses have ended, and the time is gone.
  if (!sentAt) return null;
  return Math.max(0, Math.floor((sentAt + ttlMs - visit.service[internals].clock()) / 1000));
}

/** Returns whether this browser was sent a code. */
export function wasSent(visit: Entry, purpose: CodePurpose, to: string): boolean {
  return noteOf(visit, purpose, to) !== undefined;
}

/** Ends the pauses if a code was refused that can never be right again: its user needs another one now. */
export function endPauses(error: unknown, visit: Entry): void {
  const { sent } = visit.flow;
  if (!sent || !isServiceError(error) || !worthless.has(error.code)) return;
  visit.keep({ sent: sent.map(([name]) => [name, 0]) });
}

const worthless: ReadonlySet<ServiceErrorCode> = new Set([
  'code_expired',
  'code_not_found',
  'max_attempts_exceeded',
]);

function noteOf({ flow }: Entry, purpose: CodePurpose, to: string): SentNote | undefined {
  const name = nameOf(purpose, to);
  return flow.sent?.find(([each]) => each === name);
}

/** Without the recipient, who may be a secret. */
function nameOf(purpose: CodePurpose, to: string): string {
  return sha256(`${purpose} ${to.toLowerCase()}`).slice(0, 16);
}
