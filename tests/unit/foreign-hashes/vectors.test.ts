// Hashes that the packages of other systems have created (tests/moving/vectors), and published ones.
import { pbkdf2Sync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import {
  bcryptHasher,
  deviseHasher,
  firebaseHasher,
  type FirebaseOptions,
  type PasswordHasher,
} from 'svc-auth';
import { matchesForeignBcrypt } from '../../../src/core/passwords/foreign/bcrypt.js';
import { formatOf, readForeignHash } from '../../../src/core/passwords/foreign/formats.js';
import { hashToStore } from '../../../src/core/passwords/foreign/imported-hash.js';
import { queueClientOf } from '../../../src/core/queues/fair-queue.js';
import { PasswordVerifier } from '../../../src/core/passwords/password-verifier.js';
import { cheapHasher } from '../../support/make-service.js';
import type { ForeignHash } from '../../../src/domain/imported-user.js';

interface Vector {
  by: string;
  format: string;
  password: string;
  hash: string | ForeignHash;
  key?: { firebase?: FirebaseOptions; devise?: { pepper: string } };
}

const vectors = ['vectors.json', 'published.json'].flatMap(
  (name) =>
    JSON.parse(readFileSync(new URL(`../../moving/vectors/${name}`, import.meta.url), 'utf8')) as Vector[],
);

function hasherFor({ key }: Vector): PasswordHasher {
  const previous = key?.firebase
    ? firebaseHasher(key.firebase)
    : key?.devise && deviseHasher({ ...key.devise, cost: 5 });
  return previous ? bcryptHasher({ previous }) : cheapHasher();
}

/** Returns whether a service verifies a password with a hash that was imported. */
async function verifies(hasher: PasswordHasher, stored: string, password: string): Promise<boolean> {
  const place = new PasswordVerifier(hasher).enter(queueClientOf('192.0.2.1'));
  try {
    return await place.verifyPassword(password, stored);
  } finally {
    place.leave();
  }
}

describe('a hash that another package created', () => {
  const nameOf = ({ by, format }: Vector) => `${by}, ${format}`;
  const byMaker = [...new Set(vectors.map(nameOf))].map(
    (name) => [name, vectors.filter((vector) => nameOf(vector) === name)] as const,
  );

  it.each(byMaker)('of %s verifies with its password, and with no other', async (_name, ofMaker) => {
    for (const vector of ofMaker) {
      const hasher = hasherFor(vector);
      const stored = hashToStore(vector.hash, hasher);
      // At the beginning: bcrypt does not read the end, and `$2x$` ignores three bytes before one that is not ASCII.
      const wrong = `yyyy${vector.password}`;
      if (typeof vector.hash === 'string' && !vector.key) expect(formatOf(vector.hash)).toBe(vector.format);
      expect([
        vector.hash,
        await verifies(hasher, stored, vector.password),
        await verifies(hasher, stored, wrong),
      ]).toEqual([vector.hash, true, false]);
    }
  });
});

describe('a published hash', () => {
  // wrapper.c of crypt_blowfish.
  it.each([
    ['a3', '$2x$05$/OK.fbVrR/bpIqNJ5ianF.CE5elHaaO4EbggVDjb8P19RukzXSM3e'],
    ['ffffa3', '$2x$05$/OK.fbVrR/bpIqNJ5ianF.CE5elHaaO4EbggVDjb8P19RukzXSM3e'],
    ['a3', '$2y$05$/OK.fbVrR/bpIqNJ5ianF.Sa7shbm4.OzKpvFnX1pQLmQW96oUlCq'],
    ['ffffa3', '$2y$05$/OK.fbVrR/bpIqNJ5ianF.CE5elHaaO4EbggVDjb8P19RukzXSM3e'],
  ])('of the bytes %s verifies: %s', async (hex, hash) => {
    expect(await matchesForeignBcrypt(Buffer.from(hex, 'hex'), hash)).toBe(true);
    expect(await matchesForeignBcrypt(Buffer.from('a4', 'hex'), hash)).toBe(false);
  });

  it.each(['sha1', 'sha256', 'sha512'] as const)('of ASP.NET Identity 3 with %s verifies', async (digest) => {
    const prf = ['sha1', 'sha256', 'sha512'].indexOf(digest);
    const salt = Buffer.from('0123456789abcdef');
    const header = Buffer.alloc(13);
    header[0] = 1;
    header.writeUInt32BE(prf, 1);
    header.writeUInt32BE(100_000, 5);
    header.writeUInt32BE(salt.length, 9);
    const key = pbkdf2Sync('pässword', salt, 100_000, 32, digest);
    const hash = Buffer.concat([header, salt, key]).toString('base64');
    const { format, check } = readForeignHash(hash);
    expect([format, await check.matches('pässword'), await check.matches('passwort')]).toEqual([
      'aspnet-identity',
      true,
      false,
    ]);
  });
});
