/**
 * The hashes `$5$` and `$6$` of Unix, "Unix crypt using SHA-256 and SHA-512" by Ulrich Drepper (0.6), whose numbered steps are named here.
 * The packages on npm compute all rounds at once, and block every other request for as long.
 */
import { createHash, randomBytes } from 'node:crypto';
import { constantTimeEqual } from '../../../crypto/digest.js';
import { assertCost, malformed, type ForeignCheck, type ForeignFormat } from './foreign-check.js';
import { digestOf, inSlices } from './slices.js';

type ShaCryptDigest = 'sha256' | 'sha512';

const alphabet = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const form = /^\$([56])\$(?:rounds=(\d{1,12})\$)?([^$:\n]{0,16})\$([./0-9A-Za-z]+)$/;
/** It runs between other requests, not on a thread. Passlib's default is 656,000. */
export const mostShaCryptRounds = 1_000_000;
const leastRounds = 1000;
/** Characters of the result. */
const encodedLength: Record<ShaCryptDigest, number> = { sha256: 43, sha512: 86 };

const shaCrypt: ForeignFormat = {
  name: 'sha-crypt',
  read: (hash) => readShaCrypt(hash.startsWith('{CRYPT}') ? hash.slice('{CRYPT}'.length) : hash),
};

function readShaCrypt(hash: string): ForeignCheck | null {
  if (!/^\$[56]\$/.test(hash)) return null;
  const [, id, roundsText = '5000', salt, encoded] = form.exec(hash) ?? [];
  const digest = id === '5' ? 'sha256' : 'sha512';
  if (salt === undefined || encoded?.length !== encodedLength[digest]) throw malformed('sha-crypt');
  const rounds = Number(roundsText);
  assertCost('sha-crypt', 'the number of rounds', rounds, leastRounds, mostShaCryptRounds);
  return {
    scale: `${digest}-crypt`,
    work: rounds,
    matches: async (plain) =>
      constantTimeEqual(
        Buffer.from(encodeShaCrypt(digest, await digestShaCrypt(digest, plain, salt, rounds))),
        Buffer.from(encoded),
      ),
    repeat: (plain) => digestShaCrypt(digest, plain, salt, rounds),
  };
}

export async function hashShaCrypt(name: ShaCryptDigest, plain: string, rounds: number): Promise<string> {
  const salt = randomBytes(12).toString('base64').replaceAll('+', '.');
  return (
    settingOf(name, rounds) +
    `${salt}$${encodeShaCrypt(name, await digestShaCrypt(name, plain, salt, rounds))}`
  );
}

/** Returns a hash that no password matches. */
export function exampleOfShaCrypt(name: ShaCryptDigest, rounds: number): string {
  return `${settingOf(name, rounds)}$${'.'.repeat(encodedLength[name])}`;
}

function settingOf(name: ShaCryptDigest, rounds: number): string {
  return `$${name === 'sha256' ? 5 : 6}$rounds=${rounds}$`;
}

export async function digestShaCrypt(
  name: ShaCryptDigest,
  plain: string,
  saltText: string,
  rounds: number,
): Promise<Buffer> {
  const [password, salt] = [Buffer.from(plain), Buffer.from(saltText)];
  const digest = (...parts: Buffer[]) => digestOf(name, Buffer.concat(parts));
  // Steps 4 to 8: B.
  const b = digest(password, salt, password);
  // Steps 1 to 3 and 9 to 12: A.
  const parts = [password, salt, repeated(b, password.length)];
  for (let bits = password.length; bits > 0; bits >>= 1) parts.push(bits & 1 ? b : password);
  let result = digest(...parts);
  // Steps 13 to 16: P. Not in one piece: a password of a kilobyte would take a megabyte.
  const dp = createHash(name);
  for (let i = 0; i < password.length; i += 1) dp.update(password);
  const p = repeated(dp.digest(), password.length);
  // Steps 17 to 20: S.
  const ds = digest(...Array.from({ length: 16 + result[0]! }, () => salt));
  const s = repeated(ds, salt.length);
  // Step 21.
  await inSlices(rounds, (round) => {
    const odd = round % 2 === 1;
    const input = [odd ? p : result];
    if (round % 3 !== 0) input.push(s);
    if (round % 7 !== 0) input.push(p);
    input.push(odd ? result : p);
    result = digest(...input);
  });
  return result;
}

function repeated(bytes: Buffer, length: number): Buffer {
  return Buffer.alloc(length, length > 0 ? bytes : 0);
}

/** Step 22: three bytes at a time from as many places, each time one place on, and the remaining ones at the end. */
export function encodeShaCrypt(name: ShaCryptDigest, digest: Buffer): string {
  const third = Math.floor(digest.length / 3);
  // The places rotate: in one direction for SHA-256, and in the other for SHA-512.
  const step = name === 'sha256' ? 2 : 1;
  let text = '';
  for (let i = 0; i < third; i += 1) {
    const places = [0, 1, 2].map((place) => i + third * ((place + step * i) % 3));
    text += encodeGroup(digest[places[0]!]!, digest[places[1]!]!, digest[places[2]!]!, 4);
  }
  return (
    text +
    (name === 'sha256' ? encodeGroup(0, digest[31]!, digest[30]!, 3) : encodeGroup(0, 0, digest[63]!, 2))
  );
}

/** Six bits a character, the lowest first. */
function encodeGroup(high: number, middle: number, low: number, characters: number): string {
  const group = (high << 16) | (middle << 8) | low;
  return Array.from({ length: characters }, (_, i) => alphabet[(group >> (6 * i)) & 63]).join('');
}

export const shaCryptFormats: readonly ForeignFormat[] = [shaCrypt];
