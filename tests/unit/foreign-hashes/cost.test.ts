// the time of a wrong password reveals neither that an account was imported nor from where.
import { createHook } from 'node:async_hooks';
import { pbkdf2Sync, scryptSync } from 'node:crypto';
import {
  argon2idHasher,
  bcryptHasher,
  deviseHasher,
  firebaseHasher,
  pbkdf2Hasher,
  phpassHasher,
  scryptHasher,
  shaCryptHasher,
  type PasswordHasher,
} from 'svc-auth';
import { readForeignHash } from '../../../src/core/passwords/foreign/formats.js';
import { hashToStore } from '../../../src/core/passwords/foreign/imported-hash.js';
import { SeenWork } from '../../../src/core/passwords/foreign/seen-work.js';
import { PasswordVerifier } from '../../../src/core/passwords/password-verifier.js';
import { queueClientOf } from '../../../src/core/queues/fair-queue.js';
import { cheapHasher } from '../../support/make-service.js';

const threadWork = ['PBKDF2REQUEST', 'SCRYPTREQUEST', 'bcrypt:CompareAsyncWorker'];

/** Returns the names of the work on threads, in alphabetical order. */
async function workOf(run: () => Promise<unknown>): Promise<string[]> {
  const names: string[] = [];
  const hook = createHook({
    init: (_id, type) => void (threadWork.includes(type) && names.push(type)),
  }).enable();
  await run();
  hook.disable();
  return names.sort();
}

async function verify(verifier: PasswordVerifier, plain: string, stored: string | null): Promise<boolean> {
  const place = verifier.enter(queueClientOf('192.0.2.1'));
  try {
    return await place.verifyPassword(plain, stored);
  } finally {
    place.leave();
  }
}

const password = 'correct horse battery';

describe('a wrong password', () => {
  it('does the work of every hasher of `previous`, for every stored hash and from the first one on', async () => {
    const hasher = bcryptHasher({
      previous: [pbkdf2Hasher({ rounds: 1000 }), scryptHasher({ n: 1024, r: 8 })],
    });
    const stored = [
      await hasher.hash(password),
      hashToStore(await pbkdf2Hasher({ rounds: 1000 }).hash(password), hasher),
      hashToStore(await pbkdf2Hasher({ rounds: 500 }).hash(password), hasher),
      hashToStore(await scryptHasher({ n: 1024, r: 8 }).hash(password), hasher),
      hashToStore(`${await hasher.hash(password)}`, hasher),
      hashToStore(`{SSHA}${Buffer.alloc(24).toString('base64')}`, hasher),
      null,
    ];
    const verifier = new PasswordVerifier(hasher);
    await verifier.prepare();
    for (const each of stored)
      expect([each, await workOf(() => verify(verifier, 'wrong', each))]).toEqual([
        each,
        ['PBKDF2REQUEST', 'PBKDF2REQUEST', 'SCRYPTREQUEST', 'SCRYPTREQUEST', 'bcrypt:CompareAsyncWorker'],
      ]);
    for (const each of stored.slice(0, 5)) expect(await verify(verifier, password, each)).toBe(true);
  });

  it('does the work of a format that was not configured from its first hash on', async () => {
    const verifier = new PasswordVerifier(bcryptHasher());
    const own = await bcryptHasher().hash(password);
    const foreign = hashToStore(await pbkdf2Hasher({ rounds: 1000 }).hash(password), bcryptHasher());
    const ofBcrypt = ['bcrypt:CompareAsyncWorker'];
    const ofBoth = ['PBKDF2REQUEST', 'PBKDF2REQUEST', ...ofBcrypt];
    expect(await workOf(() => verify(verifier, 'wrong', own))).toEqual(ofBcrypt);
    for (const each of [foreign, own, null, foreign])
      expect(await workOf(() => verify(verifier, 'wrong', each))).toEqual(ofBoth);
  });

  it('costs an imported hash of a hasher of the application its own work, and one of its decoy', async () => {
    const cheap = cheapHasher();
    const verified: string[] = [];
    const hasher: PasswordHasher = {
      hash: (plain) => cheap.hash(plain),
      verify: (plain, hash) => (verified.push(hash), cheap.verify(plain, hash)),
    };
    const verifier = new PasswordVerifier(hasher);
    const decoy = await verifier.prepare();
    const foreign = hashToStore(await pbkdf2Hasher({ rounds: 10 }).hash(password), hasher);
    expect(await verify(verifier, 'wrong', foreign)).toBe(false);
    expect(verified).toEqual([decoy]);
    expect(await verify(verifier, password, foreign)).toBe(true);
    expect(verified).toEqual([decoy]);
  });
});

describe('the work of stored hashes', () => {
  const checkWith = (rounds: number) =>
    readForeignHash(`$pbkdf2-sha256$${rounds}$c2FsdA$${'A'.repeat(43)}`).check;

  it('raises that of all wrong passwords by one second of work at most, however many formats are imported', async () => {
    const work = new SeenWork();
    const burnt: number[] = [];
    for (const rounds of [1000, 100_000, 5_000_000]) {
      work.see(checkWith(rounds));
      burnt.push(
        (work as unknown as { seen: Map<string, { work: number }> }).seen.get('pbkdf2-sha256')!.work,
      );
    }
    expect(burnt.slice(0, 2)).toEqual([1000, 100_000]);
    expect(burnt[2]).toBeLessThan(3_100_000);
    // Nothing is left for other formats.
    work.see(readForeignHash(`$scrypt$ln=15,r=8,p=1$c2FsdA$${'A'.repeat(43)}`).check);
    expect((work as unknown as { seen: Map<string, unknown> }).seen.has('scrypt')).toBe(false);
  });
});

describe('a hasher for `previous`', () => {
  const signerKey = Buffer.alloc(64, 7).toString('base64');

  it.each<[string, PasswordHasher]>([
    ['pbkdf2Hasher', pbkdf2Hasher({ digest: 'sha512', rounds: 100 })],
    ['scryptHasher', scryptHasher({ n: 1024 })],
    ['phpassHasher', phpassHasher({ rounds: 128 })],
    ['shaCryptHasher', shaCryptHasher({ digest: 'sha256', rounds: 1000 })],
    ['firebaseHasher', firebaseHasher({ signerKey, memCost: 10 })],
    ['deviseHasher', deviseHasher({ pepper: 'a pepper', cost: 4 })],
  ])(
    '%s verifies its own hashes, which become those of the hasher in front of it',
    async (_name, previous) => {
      const hash = await previous.hash(password);
      expect(await previous.verify(password, hash)).toBe(true);
      expect(await previous.verify('wrong', hash)).toBe(false);
      expect([previous.recognizes?.(hash), previous.needsRehash?.(hash)]).toEqual([true, true]);
      for (const hasher of [bcryptHasher({ previous }), argon2idHasher({ previous: [previous] })]) {
        const stored = hashToStore(hash, hasher);
        expect([await hasher.verify(password, stored), await hasher.verify('wrong', stored)]).toEqual([
          true,
          false,
        ]);
        expect([hasher.recognizes?.(stored), hasher.needsRehash?.(stored)]).toEqual([true, true]);
      }
    },
  );

  it('deviseHasher takes hashes of bcrypt before bcryptHasher, which would not find their pepper', async () => {
    const previous = deviseHasher({ pepper: 'a pepper', cost: 4 });
    const hasher = bcryptHasher({ previous });
    const stored = hashToStore(await previous.hash(password), hasher);
    // The pepper as a part of the password.
    expect(await hasher.verify(`${password}a pepper`, stored)).toBe(false);
    expect(await hasher.verify(password, await hasher.hash(password))).toBe(true);
  });

  it.each<[string, () => unknown]>([
    ['pbkdf2Hasher(…).round', () => pbkdf2Hasher({ round: 5 } as never)],
    ['pbkdf2Hasher(…)', () => pbkdf2Hasher({ rounds: 2 ** 31 })],
    ['pbkdf2Hasher(…)', () => pbkdf2Hasher({ rounds: NaN })],
    ['pbkdf2Hasher(…).digest', () => pbkdf2Hasher({ digest: 'md5' as never })],
    ['scryptHasher(…).N', () => scryptHasher({ N: 5 } as never)],
    ['scryptHasher(…)', () => scryptHasher({ n: 1000 })],
    ['scryptHasher(…)', () => scryptHasher({ n: 2 ** 22 })],
    ['phpassHasher(…).rounds', () => phpassHasher({ rounds: 1000 })],
    ['phpassHasher(…)', () => phpassHasher({ rounds: 2 ** 21 })],
    ['shaCryptHasher(…)', () => shaCryptHasher({ rounds: 10 })],
    ['shaCryptHasher(…).cost', () => shaCryptHasher({ cost: 10 } as never)],
    ['firebaseHasher(…).signerKey', () => firebaseHasher({ signerKey: '' })],
    ['firebaseHasher(…).key', () => firebaseHasher({ signerKey, key: 1 } as never)],
    ['firebaseHasher(…)', () => firebaseHasher({ signerKey, memCost: 40 })],
    ['deviseHasher(…).pepper', () => deviseHasher({ pepper: '' })],
    ['deviseHasher(…).cost', () => deviseHasher({ pepper: 'a pepper', cost: 31 })],
    ['bcryptHasher(…).previous', () => bcryptHasher({ previous: [{} as never] })],
    ['argon2idHasher(…).previous', () => argon2idHasher({ previous: 'bcrypt' as never })],
  ])('names the option at fault: %s', (path, make) => {
    expect(make).toThrow(
      expect.objectContaining({ code: 'config_invalid', faults: [expect.objectContaining({ path })] }),
    );
  });
});

describe('a long password', () => {
  const long = 'x'.repeat(72);

  it('is compared with its first 72 bytes only if the hash is of another system', async () => {
    const hasher = bcryptHasher();
    const foreign = await hasher.hash(long);
    for (const stored of [hashToStore(foreign, hasher), foreign.replace('$2b$', '$2a$')]) {
      expect(await hasher.verify(`${long} and more`, stored)).toBe(true);
      expect(await hasher.verify(`${long.slice(1)}y and more`, stored)).toBe(false);
    }
    expect(await hasher.verify(`${long} and more`, foreign)).toBe(false);
    const own = await hasher.hash(`${long} and more`);
    expect([await hasher.verify(`${long} and more`, own), await hasher.verify(long, own)]).toEqual([
      true,
      false,
    ]);
  });
});

it('derives the first block of PBKDF2 only, which is compared as a whole', async () => {
  const key = pbkdf2Sync(password, 'salt', 50, 512, 'sha256');
  const stored = (bytes: Buffer) =>
    readForeignHash(
      `$pbkdf2-sha256$50$c2FsdA$${bytes.toString('base64').replace(/=+$/, '').replaceAll('+', '.')}`,
    );
  expect(await stored(key).check.matches(password)).toBe(true);
  const changed = Buffer.from(key);
  changed[31]! ^= 1;
  expect(await stored(changed).check.matches(password)).toBe(false);
});

it('does not block the event loop while a hash of 100,000 rounds is computed', async () => {
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 1);
  const hash = `$6$rounds=100000$salt$${'.'.repeat(86)}`;
  await readForeignHash(hash).check.matches(password);
  clearInterval(timer);
  expect(turns).toBeGreaterThan(5);
});

it('normalizes the password as better-auth does', async () => {
  const salt = 'ab'.repeat(16);
  const key = scryptSync('A\u030a'.normalize('NFKC'), salt, 64, { N: 16_384, r: 16, p: 1, maxmem: 2 ** 26 });
  const { check } = readForeignHash(`${salt}:${key.toString('hex')}`);
  expect([await check.matches('\u00c5'), await check.matches('A\u030a'), await check.matches('A')]).toEqual([
    true,
    true,
    false,
  ]);
});
