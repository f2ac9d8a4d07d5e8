// Hashes that an import must refuse before it does any work for them.
import { argon2idHasher, bcryptHasher, deviseHasher, firebaseHasher, type PasswordHasher } from 'svc-auth';
import { ForeignHashError } from '../../../src/core/passwords/foreign/foreign-check.js';
import { formatOf } from '../../../src/core/passwords/foreign/formats.js';
import { hashToStore } from '../../../src/core/passwords/foreign/imported-hash.js';
import type { ForeignHash } from '../../../src/domain/imported-user.js';
import { cheapHasher } from '../../support/make-service.js';

const key64 = 'A'.repeat(86);
const key32 = 'A'.repeat(43);
const digits = '.'.repeat(53);
const hex32 = 'ab'.repeat(32);

function reasonOf(hash: string | ForeignHash, hasher: PasswordHasher = bcryptHasher()): string {
  try {
    hashToStore(hash, hasher);
    return 'stored';
  } catch (error) {
    if (error instanceof ForeignHashError) return error.reason;
    throw error;
  }
}

describe('an import of a hash', () => {
  it.each([
    `$2b$17$${digits}`,
    `$2a$31$${digits}`,
    `$2y$99$${digits}`,
    `$argon2id$v=19$m=4194304,t=3,p=1$c2FsdHNhbHQ$${key32}`,
    `$argon2id$v=19$m=999999999999,t=3,p=1$c2FsdHNhbHQ$${key32}`,
    `$argon2i$v=19$m=4096,t=17,p=1$c2FsdHNhbHQ$${key32}`,
    `$argon2d$v=19$m=65536,t=4294967295,p=1$c2FsdHNhbHQ$${key32}`,
    `$argon2id$v=19$m=65536,t=2,p=255$c2FsdHNhbHQ$${key32}`,
    `$scrypt$ln=30,r=8,p=1$c2FsdA$${key32}`,
    `$scrypt$ln=22,r=8,p=1$c2FsdA$${key32}`,
    `$scrypt$ln=999999,r=8,p=1$c2FsdA$${key32}`,
    `$scrypt$n=1073741824,r=8,p=1$c2FsdA$${key32}`,
    `$scrypt$ln=17,r=8,p=64$c2FsdA$${key32}`,
    `$scrypt$ln=4,r=1073741823,p=1$c2FsdA$${key32}`,
    `scrypt:1073741824:8:1$salt$${hex32}`,
    `scrypt$4194304$salt$8$1$${key32}=`,
    `$pbkdf2-sha256$2147483648$c2FsdA$${key32}`,
    `$pbkdf2-sha256$5000001$c2FsdA$${key32}`,
    `pbkdf2_sha256$999999999999$salt$${key32}=`,
    `pbkdf2:sha256:2147483648$salt$${hex32}`,
    // ASP.NET Identity, with 4,294,967,295 rounds.
    'AQAAAAH/////AAAAEAhftMyfTJylOlZT+eEotFXd1elee8ih5WsjXaR3PA9M',
    `$6$rounds=999999999$salt$${'.'.repeat(86)}`,
    `$5$rounds=1000001$salt$${'.'.repeat(43)}`,
    `{CRYPT}$6$rounds=999999999$salt$${'.'.repeat(86)}`,
    `$P$S12345678${'.'.repeat(22)}`,
    `$H$z12345678${'.'.repeat(22)}`,
    `$wp$2y$31$${digits}`,
    `bcrypt$$2b$31$${digits}`,
  ])('refuses the cost of %s', (hash) => {
    for (const hasher of [bcryptHasher(), bcryptHasher({ cost: 20 }), argon2idHasher(), cheapHasher()])
      expect(reasonOf(hash, hasher)).toBe('hash_too_costly');
  });

  it.each([
    '',
    ' ',
    'a password',
    'null',
    '!unusable',
    '*',
    '\0',
    'ö'.repeat(60),
    `$2b$10$${digits}.`,
    `$2b$10$${digits.slice(1)}`,
    `$2b$03$${digits}`,
    `$2b$00$${digits}`,
    `$2b$-1$${digits}`,
    `$2c$10$${digits}`,
    `$2$10$${digits}`,
    `$2b$10$${digits}\n`,
    `$2b$10$${digits.slice(1)}é`,
    `$argon2id$v=19$m=0,t=0,p=0$c2FsdHNhbHQ$${key32}`,
    `$argon2id$v=19$m=-1,t=1,p=1$c2FsdHNhbHQ$${key32}`,
    `$argon2id$v=19$m=7,t=1,p=1$c2FsdHNhbHQ$${key32}`,
    `$argon2id$v=20$m=4096,t=1,p=1$c2FsdHNhbHQ$${key32}`,
    `$argon2id$v=19$m=4096,t=1,p=1$c2FsdHNhbHQ$AAAA`,
    `$argon2id$v=19$m=4096,t=1,p=1,keyid=x$c2FsdHNhbHQ$${key32}`,
    `$scrypt$ln=0,r=8,p=1$c2FsdA$${key32}`,
    `$scrypt$ln=14,r=0,p=1$c2FsdA$${key32}`,
    `$scrypt$ln=14,r=8,p=0$c2FsdA$${key32}`,
    `$scrypt$n=16383,r=8,p=1$c2FsdA$${key32}`,
    `$scrypt$n=NaN,r=8,p=1$c2FsdA$${key32}`,
    `$scrypt$ln=14,r=8,p=1$c2FsdA$AAAA`,
    `$pbkdf2-sha256$0$c2FsdA$${key32}`,
    `$pbkdf2-sha256$-5$c2FsdA$${key32}`,
    `$pbkdf2-sha256$1e3$c2FsdA$${key32}`,
    `$pbkdf2-md5$1000$c2FsdA$${key32}`,
    `$pbkdf2-sha256$1000$c2FsdA$AAAA`,
    `$pbkdf2-sha256$1000$c2FsdA$${key32.slice(1)}B`,
    `$pbkdf2-sha256$1000$c2Fs dA$${key32}`,
    `pbkdf2_sha256$$salt$${key32}=`,
    `pbkdf2_sha256$1000$salt$${key32}`.slice(0, -10),
    `pbkdf2_sha256$1000$salt$${key32}==`,
    `pbkdf2:sha256:1000$salt$${hex32}0`,
    'AAABAgMEBQYHCAkKCwwNDg+ukCEMDf0yyQ29NYubggHIVY0sdEUfdyeM+E1LtH1uJg',
    'AQAAAAEAA9CQ/////0SkQuj2Du8Y+kbc5lcN/W/3NiAZFEm11P27nrSN5/tId+bR1SwV8CO1Jd72r4C08OLvplNlCDc3oQZ8efcW+jQ=',
    'AQAAAAkAA9CQAAAAIESkQuj2Du8Y+kbc5lcN/W/3NiAZFEm11P27nrSN5/tId+bR1SwV8CO1Jd72r4C08OLvplNlCDc3oQZ8efcW+jQ=',
    `$6$rounds=999$salt$${'.'.repeat(86)}`,
    `$6$rounds=0$salt$${'.'.repeat(86)}`,
    `$6$rounds=-1$salt$${'.'.repeat(86)}`,
    `$6$a salt of 17 chars$${'.'.repeat(86)}`,
    `$6$salt$${'.'.repeat(85)}`,
    `$P$.12345678${'.'.repeat(22)}`,
    `$P$B12345678${'.'.repeat(21)}`,
    `$P$B1234567é${'.'.repeat(22)}`,
    '{SSHA}',
    `{SSHA}${'A'.repeat(8)}`,
    // No salt after the digest.
    `{SSHA}${'A'.repeat(27)}=`,
    `{SHA}${'A'.repeat(27)}=`,
    `{SSHA512}${key64}!!`,
    `${'ab'.repeat(16)}:${'ab'.repeat(63)}`,
    `${'AB'.repeat(16)}:${'ab'.repeat(64)}`,
    `$pbkdf2-sha256$1000$c2FsdA$${'A'.repeat(5_000_000)}`,
    `$argon2id$${'9'.repeat(1_000_000)}`,
    `{SSHA}${'A'.repeat(8_000_000)}`,
  ])('refuses a hash that no password would match: %.70s', (hash) => {
    expect([reasonOf(hash), formatOf(hash)]).toEqual(['hash_unknown', null]);
    expect(reasonOf(hash, cheapHasher())).toBe('hash_unknown');
  });

  const pbkdf2 = { format: 'pbkdf2', digest: 'sha256', iterations: 25_000, salt: 'ab', hash: hex32 } as const;
  const scrypt = { format: 'scrypt', n: 16_384, r: 8, p: 1, salt: 'ab', hash: hex32 } as const;
  const digest = { format: 'sha256', salt: 'ab', hash: hex32 } as const;

  it.each<[string, object]>([
    ['hash_too_costly', { ...pbkdf2, iterations: 2 ** 31 }],
    ['hash_too_costly', { ...pbkdf2, iterations: 2 ** 53 }],
    ['hash_too_costly', { ...pbkdf2, iterations: Infinity }],
    ['hash_too_costly', { ...scrypt, n: 2 ** 25 }],
    ['hash_too_costly', { ...scrypt, r: 2 ** 20 }],
    ['hash_too_costly', { ...scrypt, p: 65 }],
    ...[0, -1, NaN, -Infinity, 1.5, '25000', null, undefined].map((iterations): [string, object] => [
      'hash_unknown',
      { ...pbkdf2, iterations },
    ]),
    ...[0, 1, -2, NaN, 1000, '16384'].map((n): [string, object] => ['hash_unknown', { ...scrypt, n }]),
    ['hash_unknown', { ...scrypt, p: 0 }],
    ['hash_unknown', { ...scrypt, r: -8 }],
    ['hash_unknown', { ...pbkdf2, digest: 'md5' }],
    ['hash_unknown', { ...pbkdf2, digest: '__proto__' }],
    ['hash_unknown', { ...pbkdf2, hash: '' }],
    ['hash_unknown', { ...pbkdf2, hash: 'abcd' }],
    ['hash_unknown', { ...pbkdf2, hash: `${hex32}0` }],
    ['hash_unknown', { ...pbkdf2, hash: 'ab'.repeat(1025) }],
    ['hash_unknown', { ...pbkdf2, hash: 'ab'.repeat(10_000_000) }],
    ['hash_unknown', { ...pbkdf2, hash: Buffer.alloc(32) }],
    ['hash_unknown', { ...pbkdf2, salt: 'no hex' }],
    ['hash_unknown', { ...pbkdf2, salt: 5 }],
    ['hash_unknown', { ...pbkdf2, encoding: 'base32' }],
    ['hash_unknown', { ...pbkdf2, encoding: 'base64' }],
    ['hash_unknown', { ...pbkdf2, rounds: 5 }],
    ['hash_unknown', { ...digest, salt: '' }],
    ['hash_unknown', { ...digest, hash: 'ab'.repeat(20) }],
    ['hash_unknown', { ...digest, saltPosition: 'inside' }],
    ['hash_unknown', { ...digest, format: 'md5' }],
    ['hash_unknown', { ...digest, format: 'constructor' }],
    ['hash_unknown', {}],
    ['stored', pbkdf2],
    ['stored', scrypt],
    ['stored', digest],
    ['stored', { ...digest, saltPosition: null }],
    ['stored', { ...pbkdf2, salt: 'a salt', saltIsText: true }],
    ['stored', { ...pbkdf2, salt: 'q6s=', hash: `${key32}=`, encoding: 'base64' }],
    ['stored', { ...pbkdf2, salt: 'q6s', hash: key32, encoding: 'base64url' }],
  ])('has the outcome %s for the parts %j', (outcome, parts) => {
    expect(reasonOf(parts as ForeignHash)).toBe(outcome);
  });

  it('refuses a hash of Firebase without the key of the project, and stores it with the key', () => {
    const parts: ForeignHash = { format: 'firebase-scrypt', salt: 'c2FsdA==', hash: `${key64}==` };
    expect(reasonOf(parts)).toBe('hash_needs_key');
    expect(reasonOf(parts, cheapHasher())).toBe('hash_needs_key');
    const previous = firebaseHasher({ signerKey: `${key64}==` });
    expect(reasonOf(parts, bcryptHasher({ previous }))).toBe('stored');
    expect(reasonOf(parts, argon2idHasher({ previous: [bcryptHasher(), previous] }))).toBe('stored');
    // A key of another length: no password would match.
    const other = firebaseHasher({ signerKey: `${key32}=` });
    expect(reasonOf(parts, bcryptHasher({ previous: other }))).toBe('hash_needs_key');
  });

  it('never repeats the hash in a message', () => {
    for (const hash of [`$2b$99$${digits}`, `$pbkdf2-sha256$0$c2VjcmV0$${key32}`, 'secret-secret'])
      try {
        hashToStore(hash, bcryptHasher());
      } catch (error) {
        expect((error as Error).message).not.toMatch(/secret|c2Vj|\.\.\.|\$/);
      }
    expect.assertions(3);
  });

  it('stores what a hasher of the application recognizes as it is, and marks everything else', () => {
    const own: PasswordHasher = { ...cheapHasher(), recognizes: (hash) => /^(?:own|\$2b)\$/.test(hash) };
    const bcryptHash = `$2b$10$${digits}`;
    expect(hashToStore('own$1', own)).toBe('own$1');
    expect(hashToStore(bcryptHash, own)).toBe(bcryptHash);
    expect(hashToStore(`{SSHA}${'A'.repeat(32)}`, own)).toBe(`imported:{SSHA}${'A'.repeat(32)}`);
    expect(hashToStore(bcryptHash, bcryptHasher())).toBe(`imported:${bcryptHash}`);
    expect(hashToStore(bcryptHash, cheapHasher())).toBe(`imported:${bcryptHash}`);
    // Exported from a service and imported again.
    expect(hashToStore(`imported:${bcryptHash}`, bcryptHasher())).toBe(`imported:${bcryptHash}`);
  });

  it('refuses an unknown hash also if a hasher of `previous` does not say what it recognizes', () => {
    const previous = cheapHasher();
    for (const hasher of [
      bcryptHasher({ previous }),
      argon2idHasher({ previous: bcryptHasher({ previous }) }),
    ]) {
      expect(reasonOf('cheap$1', hasher)).toBe('hash_unknown');
      expect(reasonOf(`{SSHA}${'A'.repeat(32)}`, hasher)).toBe('stored');
    }
  });

  it.each([null, undefined, 5, true, Buffer.alloc(60)])('refuses %p', (hash) => {
    expect(reasonOf(hash as never)).toBe('hash_unknown');
  });

  it('takes a hash of Devise for bcrypt with and without its pepper', () => {
    const previous = deviseHasher({ pepper: 'a pepper' });
    expect(reasonOf(`$2a$12$${digits}`, bcryptHasher({ previous }))).toBe('stored');
  });
});
