/** Password hashing: the seam, the bcrypt default, and the queue that keeps a flood of logins from starving the rest. */
import { createHmac } from 'node:crypto';
import { RateLimitError } from '../errors/catalog.js';
import { randomToken } from '../crypto/random.js';
import { loadBcrypt } from '../runtime/load.js';
import { inTime } from './in-time.js';
import { WaitingLine } from './waiting-line.js';

export interface PasswordHasher {
  hash(plain: string): Promise<string>;
  verify(plain: string, hash: string): Promise<boolean>;
}

const bcryptMaxBytes = 72;

/**
 * bcrypt. Passwords over 72 bytes, which bcrypt would cut, are hashed first (HMAC-SHA-384, 64 characters of base64).
 * The key is no secret: it keeps hashes stolen elsewhere from being tried as passwords here, and survives the
 * rotation of `session.secret`.
 * @param options.cost 10 (default) to 20; each step doubles the time.
 */
export function bcryptHasher({ cost = 10 }: { cost?: number } = {}): PasswordHasher {
  if (!(Number.isInteger(cost) && cost >= 10 && cost <= 20)) {
    throw new RangeError('bcryptHasher: cost must be a whole number from 10 to 20.');
  }
  return {
    hash: (plain) => loadBcrypt().hash(fitted(plain), cost),
    verify: (plain, hash) => loadBcrypt().compare(fitted(plain), hash),
  };
}

function fitted(plain: string): string {
  if (Buffer.byteLength(plain) <= bcryptMaxBytes) return plain;
  return createHmac('sha384', 'svc-bcrypt-prehash-v1').update(plain).digest('base64');
}

// Far above what a cost that anybody could live with takes at the end of the line: who needs longer hangs, and would keep
// its place in the line for ever.
const patienceMs = 5 * 60_000;
// bcrypt runs on libuv's threads at some 60 ms each. Twice as many work as there are threads, so that none waits for a query;
// the others have not begun, and take neither connections nor time from whoever comes without a password. With 64 in line
// the last one waits about a second.
const longestLine = 64;
const threads = Math.max(1, Number(process.env['UV_THREADPOOL_SIZE']) || 4);
const width = Math.min(2 * threads, longestLine);

export type VerifyPassword = (plain: string, hash: string | null) => Promise<boolean>;

/** A hasher as the engine uses it: bounded in line, strict about answers, and equally slow for users who are not there. */
export class PasswordVerifier {
  private readonly line = new WaitingLine({ width, maxWaiting: longestLine - width, patienceMs });
  private decoy: Promise<string> | undefined;

  constructor(private readonly hasher: PasswordHasher) {}

  hash(plain: string): Promise<string> {
    return this.inLine(() => inTime(this.hasher.hash(plain), 'The hasher', patienceMs));
  }

  /**
   * Does `work`, which verifies a password, in its turn: whoever finds the line full has cost nothing, so that a flood does
   * not reach the database. Whatever there is to compare with, it is one verification: without a hash it is made against a
   * decoy and fails.
   * @throws RateLimitError when the line is full, or does not move for five minutes.
   */
  tryInLine<T>(work: (verify: VerifyPassword) => Promise<T>): Promise<T> {
    return this.inLine(() =>
      work(async (plain, hash) => {
        const against = hash ?? (await this.prepare());
        const matches: unknown = await inTime(this.hasher.verify(plain, against), 'The hasher', patienceMs);
        return matches === true && hash !== null;
      }),
    );
  }

  /** Makes the decoy: a well-formed hash of the configured cost (a malformed one would answer 6000 times faster). */
  prepare(): Promise<string> {
    this.decoy ??= inTime(this.hasher.hash(randomToken()), 'The hasher', patienceMs).catch(
      (error: unknown) => {
        this.decoy = undefined;
        throw error;
      },
    );
    return this.decoy;
  }

  private inLine<T>(work: () => Promise<T>): Promise<T> {
    return this.line.run(work, () => Promise.reject(new RateLimitError(1000)));
  }
}
