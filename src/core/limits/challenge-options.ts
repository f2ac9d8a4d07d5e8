/** The options of challenges, and the interface of a service that poses them (docs/sign-up.md, Challenges). */
import * as z from 'zod';
import { hasMethod } from '../support/has-method.js';
import { durationMs } from '../support/option-types.js';
import { minute } from './rate-limits.js';

/** What a solution is valid for: a sign-up with a password or a passkey, a new guest, or a request for a code or a link. */
export type ChallengePurpose = 'sign_up' | 'send';

/** The request that a challenge is for. */
export interface ChallengeRequest {
  readonly purpose: ChallengePurpose;
  /** IP address of the client. */
  readonly ip: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** A right solution. */
export interface ChallengeSolution {
  /**
   * Identifies the challenge, so that it is solved once. Take it from signed data: a client can write the same solution in several ways.
   */
  id: string;
  /** When the solution stops being valid. It is remembered as used until then. */
  expiresAt: Date;
}

/** Poses challenges: a captcha service, for example. */
export interface ChallengeProvider {
  /** Returns what the client needs, as a JSON object. It is sent to the client. */
  create(request: ChallengeRequest): object | Promise<object>;
  /** Returns null unless the solution is right, unexpired and for this purpose. */
  verify(
    solution: string,
    request: ChallengeRequest,
  ): ChallengeSolution | null | Promise<ChallengeSolution | null>;
}

export const challengeOptions = z.strictObject({
  provider: z
    .union([
      z.literal('proof-of-work'),
      z.custom<ChallengeProvider>(
        (value) => hasMethod(value, 'create') && hasMethod(value, 'verify'),
        'must be an object with the methods create and verify',
      ),
    ])
    .default('proof-of-work')
    .describe(
      '`proof-of-work` makes the browser compute for about a second; it needs the package `altcha-lib` and no other service. Or an object with `create(request)` and `verify(solution, request)`.',
    ),
  after: z
    .number()
    .int()
    .min(0)
    .max(1_000_000)
    .default(5)
    .describe('How many sign-ups and sends a client may make in a window without a challenge.'),
  windowMs: durationMs()
    .default(60 * minute)
    .describe('Length of that window in milliseconds.'),
  cost: z
    .number()
    .int()
    .min(1)
    .max(1_000_000)
    .default(5_000)
    .describe(
      'Work of one attempt at `proof-of-work`: iterations of PBKDF2. A client needs 256 attempts on average, the server one.',
    ),
  ttlMs: durationMs()
    .default(10 * minute)
    .describe('How long a `proof-of-work` can be solved, in milliseconds.'),
});

export type ChallengeOptions = z.output<typeof challengeOptions>;
