/** Hashers for `previous` whose hashes need a key. It is configured, and never stored with the hashes. */
import { randomBytes } from 'node:crypto';
import { checkOptions, refuseOption } from '../../../errors/options.js';
import { loadBcrypt } from '../../../runtime/load.js';
import type { PasswordHasher } from '../password-hasher.js';
import { bcryptCheck, isBcrypt, mostBcryptCost } from './bcrypt.js';
import {
  assertFirebaseCost,
  encodeFirebase,
  fromAnyBase64,
  hashFirebase,
  readFirebaseHash,
  type FirebaseParameters,
} from './firebase.js';
import { foreignHasher } from './foreign-hasher.js';
import { checkOf } from './hashers.js';

export interface FirebaseOptions {
  /** `base64_signer_key` of the project. A secret: from the environment, not from the source. */
  signerKey: string;
  /** `base64_salt_separator`. Default `Bw==`. */
  saltSeparator?: string;
  /** Default 8. */
  rounds?: number;
  /** `mem_cost`. Default 14. */
  memCost?: number;
}

/**
 * Verifies the hashes of Firebase Authentication with the parameters of the project: Authentication, Users, Password hash parameters.
 * @throws ConfigError for an invalid or unknown option.
 */
export function firebaseHasher(options: FirebaseOptions): PasswordHasher {
  const call = 'firebaseHasher(…)';
  checkOptions(call, options, ['signerKey', 'saltSeparator', 'rounds', 'memCost']);
  const { signerKey, saltSeparator = 'Bw==', rounds = 8, memCost = 14 } = options;
  const parameters: FirebaseParameters = {
    signerKey: bytesOf(`${call}.signerKey`, signerKey, 16),
    saltSeparator: bytesOf(`${call}.saltSeparator`, saltSeparator, 0),
    rounds,
    memCost,
  };
  const example = encodeFirebase(Buffer.alloc(8), Buffer.alloc(parameters.signerKey.length));
  const from = checkOf(call, () => {
    assertFirebaseCost(parameters);
    return readFirebaseHash(example, parameters);
  });
  return foreignHasher({
    read: (hash) => readFirebaseHash(hash, parameters),
    async hash(plain) {
      const salt = randomBytes(10);
      return encodeFirebase(salt, await hashFirebase(plain, salt, parameters));
    },
    from,
  });
}

export interface DeviseOptions {
  /** `config.pepper` of Devise. A secret: from the environment, not from the source. */
  pepper: string;
  /** Cost of most stored hashes (`config.stretches`): 4 to 16, default 12. */
  cost?: number;
}

/**
 * Verifies the hashes of Rails applications with Devise and a pepper: bcrypt of the password and the pepper. Without a pepper they are plain
 * bcrypt.
 * @throws ConfigError for an invalid or unknown option.
 */
export function deviseHasher(options: DeviseOptions): PasswordHasher {
  const call = 'deviseHasher(…)';
  checkOptions(call, options, ['pepper', 'cost']);
  const { pepper, cost = 12 } = options;
  if (typeof pepper !== 'string' || pepper === '') refuseOption(`${call}.pepper`, 'must be a string');
  if (!(Number.isInteger(cost) && cost >= 4 && cost <= mostBcryptCost))
    refuseOption(`${call}.cost`, `must be a whole number from 4 to ${mostBcryptCost}`);
  const inputOf = (plain: string) => plain + pepper;
  const format = 'a hash of Devise';
  const example = `$2a$${String(cost).padStart(2, '0')}$${'.'.repeat(53)}`;
  return foreignHasher({
    read: (hash) => (isBcrypt(hash) ? bcryptCheck(format, hash, inputOf) : null),
    // bcrypt itself ignores what is after byte 72.
    hash: (plain) => loadBcrypt().hash(Buffer.from(inputOf(plain)).subarray(0, 72), cost),
    from: bcryptCheck(format, example, inputOf),
  });
}

function bytesOf(path: string, text: unknown, least: number): Buffer {
  const bytes = text === '' ? Buffer.alloc(0) : typeof text === 'string' ? fromAnyBase64(text) : null;
  if (!bytes || bytes.length < least || bytes.length > 1024)
    return refuseOption(path, 'must be base64, as the Firebase console shows it');
  return bytes;
}
