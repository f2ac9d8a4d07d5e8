/** The portable hashes of phpass: `$P$` in WordPress before 6.8, `$H$` in phpBB. */
import { randomBytes } from 'node:crypto';
import { constantTimeEqual } from '../../../crypto/digest.js';
import { assertCost, malformed, type ForeignFormat } from './foreign-check.js';
import { digestOf, inSlices } from './slices.js';

const alphabet = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const form = /^\$[PH]\$([./0-9A-Za-z])([./0-9A-Za-z]{8})([./0-9A-Za-z]{22})$/;
// On the main thread, in slices: WordPress writes 2^13, and 2^17 already take a third of a second.
export const mostPhpassRounds = 2 ** 17;

const phpass: ForeignFormat = {
  name: 'phpass',
  read(hash) {
    if (!/^\$[PH]\$/.test(hash)) return null;
    const [, exponent, salt, encoded] = form.exec(hash) ?? [];
    if (exponent === undefined || salt === undefined || encoded === undefined) throw malformed('phpass');
    const rounds = 2 ** alphabet.indexOf(exponent);
    assertCost('phpass', 'the number of rounds', rounds, 2 ** 7, mostPhpassRounds);
    return {
      scale: 'phpass',
      work: rounds,
      async matches(plain) {
        const digest = await digestPhpass(plain, salt, rounds);
        return constantTimeEqual(Buffer.from(encodePhpass(digest)), Buffer.from(encoded));
      },
      repeat: (plain) => digestPhpass(plain, salt, rounds),
    };
  },
};

export async function hashPhpass(plain: string, rounds: number): Promise<string> {
  const salt = encodePhpass(randomBytes(6));
  return settingOf(rounds) + salt + encodePhpass(await digestPhpass(plain, salt, rounds));
}

/** Returns a hash that no password matches. */
export function exampleOfPhpass(rounds: number): string {
  return settingOf(rounds) + '.'.repeat(30);
}

function settingOf(rounds: number): string {
  return `$P$${alphabet[Math.log2(rounds)] ?? ''}`;
}

/** MD5 of salt and password, and then so many rounds over its result and the password. */
export async function digestPhpass(plain: string, salt: string, rounds: number): Promise<Buffer> {
  const password = Buffer.from(plain);
  let digest = digestOf('md5', Buffer.concat([Buffer.from(salt), password]));
  const input = Buffer.concat([digest, password]);
  await inSlices(rounds, () => {
    digest = digestOf('md5', input);
    digest.copy(input);
  });
  return digest;
}

/** Six bits a character, the lowest first, from each three bytes in the order of Intel processors. */
export function encodePhpass(bytes: Buffer): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 3) {
    const group = bytes[at]! | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16);
    const count = Math.min(3, bytes.length - at) + 1;
    for (let i = 0; i < count; i += 1) text += alphabet[(group >> (6 * i)) & 63];
  }
  return text;
}

export const phpassFormats: readonly ForeignFormat[] = [phpass];
