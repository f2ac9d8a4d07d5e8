/**
 * Makes every wrong password cost the work of the most expensive hash of each kind, so that the time of a response reveals neither that an
 * account was imported nor from where.
 */
import { burnArgon2 } from './argon2.js';
import { burnBcrypt } from './bcrypt.js';
import type { ForeignCheck, Scale } from './foreign-check.js';
import { burnPbkdf2 } from './pbkdf2.js';
import { digestPhpass } from './phpass.js';
import { burnScrypt } from './scrypt.js';
import { digestShaCrypt } from './sha-crypt.js';

type Measured = Exclude<Scale, 'digest'>;

interface Measure {
  /** Units of work that take about a millisecond. */
  perMs: number;
  /** The least work that `burn` can do. */
  least: number;
  burn: (plain: string, work: number) => Promise<unknown>;
}

const measures: Record<Measured, Measure> = {
  bcrypt: { perMs: 20, least: 2 ** 4, burn: burnBcrypt },
  argon2: { perMs: 4000, least: 8, burn: burnArgon2 },
  scrypt: { perMs: 3000, least: 16, burn: burnScrypt },
  'pbkdf2-sha1': { perMs: 3000, least: 1, burn: (plain, work) => burnPbkdf2('sha1', plain, work) },
  'pbkdf2-sha256': { perMs: 3000, least: 1, burn: (plain, work) => burnPbkdf2('sha256', plain, work) },
  'pbkdf2-sha512': { perMs: 2000, least: 1, burn: (plain, work) => burnPbkdf2('sha512', plain, work) },
  phpass: { perMs: 1000, least: 1, burn: (plain, work) => digestPhpass(plain, 'a decoy!', work) },
  'sha256-crypt': {
    perMs: 800,
    least: 1,
    burn: (plain, work) => digestShaCrypt('sha256', plain, 'decoy', work),
  },
  'sha512-crypt': {
    perMs: 600,
    least: 1,
    burn: (plain, work) => digestShaCrypt('sha512', plain, 'decoy', work),
  },
};

/** Work that is repeated in as much memory as the hash needs: above it, eight at a time would take gigabytes. */
const mostRepeated: Partial<Record<Measured, number>> = { argon2: 64 * 1024 * 2, scrypt: 2 ** 19 };

/** How far stored hashes may raise the time of every wrong password, in milliseconds: an import must not slow down all sign-ins. */
const mostRaiseMs = 1000;

interface Seen {
  work: number;
  /** Does the work in one call, as the check of a hash does. */
  repeat: (plain: string) => Promise<unknown>;
}

export class SeenWork {
  private readonly seen = new Map<Measured, Seen>();
  private restMs = mostRaiseMs;

  /** @param from the work of the options, which every wrong password costs from the start. */
  constructor(from?: ForeignCheck) {
    if (from && from.scale !== 'digest') this.seen.set(from.scale, from);
  }

  /** Remembers the work of a stored hash, as far as it may still raise that of all others. */
  see({ scale, work, repeat }: ForeignCheck): void {
    if (scale === 'digest') return;
    const { perMs, burn } = measures[scale];
    const before = this.seen.get(scale)?.work ?? 0;
    const raised = Math.min(work, before + Math.floor(this.restMs * perMs));
    if (raised <= before) return;
    this.restMs -= (raised - before) / perMs;
    const clamped = (plain: string) => burn(plain, raised);
    this.seen.set(scale, {
      work: raised,
      repeat: raised === work && work <= (mostRepeated[scale] ?? Infinity) ? repeat : clamped,
    });
  }

  /** Does what is missing after the check of a hash failed, or everything if there was no check. */
  async complete(plain: string, done: ForeignCheck | null): Promise<void> {
    for (const [scale, seen] of this.seen) {
      const { least, burn } = measures[scale];
      const isDone = done?.scale === scale;
      if (!isDone) await seen.repeat(plain);
      // Also if nothing is missing: every piece of work waits for a thread, and longer than it runs if logins are concurrent.
      await burn(plain, Math.max(least, isDone ? seen.work - done.work : 0));
    }
  }
}
