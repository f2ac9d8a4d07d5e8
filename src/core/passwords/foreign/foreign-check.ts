/** What a stored hash of another system says, once it is read: how a password is compared with it, and how much work that is. */
import { InvalidRequestError } from '../../../errors/catalog.js';

/** Amounts of work on one scale can be compared and added: rounds of PBKDF2 with SHA-256, for example. */
export type Scale =
  | 'bcrypt'
  | 'argon2'
  | 'scrypt'
  | 'pbkdf2-sha1'
  | 'pbkdf2-sha256'
  | 'pbkdf2-sha512'
  | 'phpass'
  | 'sha256-crypt'
  | 'sha512-crypt'
  /** One round of a digest, which takes no time that can be measured. */
  | 'digest';

export interface ForeignCheck {
  scale: Scale;
  /** In the unit of the scale. */
  work: number;
  /** Does the work, and compares in constant time. */
  matches: (plain: string) => Promise<boolean>;
  /** Does the same work, in as much memory, without a result. */
  repeat: (plain: string) => Promise<unknown>;
}

/** A format in which other systems store hashes. */
export interface ForeignFormat {
  name: string;
  /**
   * Reads a hash before any work is done.
   * @returns null if the hash has another format. @throws ForeignHashError if the hash has this format and is malformed or too costly.
   */
  read: (hash: string) => ForeignCheck | null;
}

/** Why a hash cannot be imported. Stable: reports of an import contain it. */
export type ForeignHashReason = 'hash_unknown' | 'hash_too_costly' | 'hash_needs_key' | 'hash_needs_package';

/** A hash that is not verified. The message never contains a part of the hash. */
export class ForeignHashError extends InvalidRequestError {
  declare readonly reason: ForeignHashReason;
  constructor(reason: ForeignHashReason, message: string) {
    super(message, { reason, field: 'passwordHash' });
  }
}

export function malformed(format: string): ForeignHashError {
  return new ForeignHashError('hash_unknown', `The hash looks like ${format}, but is malformed.`);
}

/** @throws ForeignHashError if a cost is over its ceiling, or not a whole number from `least` on. */
export function assertCost(format: string, name: string, cost: number, least: number, most: number): void {
  const isNumber: boolean = typeof cost === 'number' && cost >= least;
  if (!isNumber || (cost <= most && !Number.isInteger(cost))) throw malformed(format);
  if (cost > most) {
    const message = `The hash costs too much to verify: ${name} of ${format} may be at most ${most}.`;
    throw new ForeignHashError('hash_too_costly', message);
  }
}
