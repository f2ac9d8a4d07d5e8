/**
 * Asks a range service whether a password was leaked (k-anonymity): it gets five hexadecimal digits of the SHA-1 digest, and returns the
 * rest of every leaked digest that begins with them. Fails open: a service that does not respond must not keep users from signing up.
 */
import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { Logger } from '../support/logger.js';
import { safeUrl, durationMs } from '../support/option-types.js';

export const breachedPasswordsOptions = z.strictObject({
  url: safeUrl()
    .default('https://api.pwnedpasswords.com/range/')
    .describe('The range service. The five digits are appended to it.'),
  timeoutMs: durationMs()
    .max(30_000)
    .default(1500)
    .describe('After this time a password is accepted without the check, in milliseconds.'),
});

type Options = z.output<typeof breachedPasswordsOptions>;

const prefixLength = 5;
/** A range with padding has about 40 KB. */
const maxBytes = 1024 * 1024;
/** After so many failures in a row, the service is not asked for half a minute: each would delay a user by the timeout. */
const mostFailures = 3;
const pauseMs = 30_000;

export class BreachedPasswords {
  private failures = 0;
  private pausedUntil = -Infinity;

  constructor(
    private readonly options: Options,
    private readonly logger: Logger,
    private readonly elapsed: () => number = () => performance.now(),
  ) {}

  /** Returns whether the password was leaked. False if the service cannot be asked; that is logged without the password or its digest. */
  async contains(password: string): Promise<boolean> {
    if (this.elapsed() < this.pausedUntil) return false;
    const digest = createHash('sha1').update(password).digest('hex').toUpperCase();
    try {
      const range = await this.request(digest.slice(0, prefixLength));
      this.failures = 0;
      return isListed(range, digest.slice(prefixLength));
    } catch (error) {
      this.failures += 1;
      if (this.failures >= mostFailures) this.pausedUntil = this.elapsed() + pauseMs;
      // Not the error: its message may contain the URL, and so the first digits of the digest.
      this.logger.warn(
        { event: 'breach_check_failed', reason: reasonOf(error) },
        'the service for breached passwords could not be asked; the password was accepted without it',
      );
      return false;
    }
  }

  private async request(prefix: string): Promise<string> {
    const { url, timeoutMs } = this.options;
    const response = await fetch(url + prefix, {
      // Padding hides from an observer of the connection how long the range is.
      headers: { 'Add-Padding': 'true', 'User-Agent': 'svc-auth' },
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    });
    if (response.status !== 200) {
      await response.body?.cancel();
      throw new ResponseError(`status ${response.status}`);
    }
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
      size += chunk.length;
      if (size > maxBytes) throw new ResponseError('more than 1 MB');
      chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString('latin1');
  }
}

class ResponseError extends Error {}

/** Returns whether a range contains the rest of a digest. Padding is listed as leaked zero times. */
function isListed(range: string, rest: string): boolean {
  return range.split('\n').some((line) => {
    const [suffix = '', count = ''] = line.trim().split(':');
    return suffix.toUpperCase() === rest && Number(count) > 0;
  });
}

function reasonOf(error: unknown): string {
  if (error instanceof ResponseError) return error.message;
  const { name, cause } = error as { name?: unknown; cause?: { code?: unknown } };
  if (name === 'TimeoutError') return 'timeout';
  return typeof cause?.code === 'string' && /^\w{1,40}$/.test(cause.code) ? cause.code : 'no response';
}
