/** What the sources of old sessions have in common. */
import type { OldSession, SessionSource } from '../core/sessions/session-source.js';
import { refuseOption } from '../errors/options.js';

export type OldUser = OldSession['user'];

export interface SourceOptions {
  /**
   * What an account with a second factor in this service needs: with `accept` (default) the old session suffices, but counts neither as a
   * recent sign-in nor as one with two factors; with `ask` the browser must complete the second step.
   */
  secondFactor?: 'accept' | 'ask';
}

/** @throws ConfigError */
export function checkSecondFactor(call: string, value: SessionSource['secondFactor']): void {
  if (value !== undefined && value !== 'accept' && value !== 'ask')
    refuseOption(`${call}.secondFactor`, "must be 'accept' or 'ask'");
}

/** Returns a time of another system as a date, or undefined if it is none. */
export function asDate(time: unknown): Date | undefined {
  if (!(time instanceof Date) && typeof time !== 'string' && typeof time !== 'number') return undefined;
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

/** Returns the time of a claim (RFC 7519, 2: NumericDate), or undefined if it is none. */
export function dateOfSeconds(seconds: unknown): Date | undefined {
  return typeof seconds === 'number' ? asDate(seconds * 1_000) : undefined;
}
