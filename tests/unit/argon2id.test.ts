// Argon2id through @node-rs/argon2, and hashes of the algorithm before it.
import { hash as argon2Hash } from '@node-rs/argon2';
import bcrypt from 'bcrypt';
import { createHook } from 'node:async_hooks';
import { argon2idHasher, bcryptHasher, type PasswordHasher } from 'svc-auth';
import { cheapHasher } from '../support/make-service.js';
import { cpuMsOf } from '../support/outcomes.js';

const small = { memoryKiB: 7168, passes: 1 };

/** A hasher that counts the work of the algorithm before Argon2id. */
function countingPrevious() {
  const cheap = cheapHasher();
  const verified: string[] = [];
  const previous: PasswordHasher = {
    hash: (plain) => cheap.hash(plain),
    verify: async (plain, hash) => {
      verified.push(hash);
      return cheap.verify(plain, hash);
    },
  };
  return { previous, verified, cheap };
}

describe('argon2idHasher', () => {
  //
  it('creates salted Argon2id hashes with 19 MiB and two passes', async () => {
    const hasher = argon2idHasher();
    const [one, two] = [await hasher.hash('a password'), await hasher.hash('a password')];
    expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(one).not.toBe(two);
    expect(await hasher.verify('a password', one)).toBe(true);
    expect(await hasher.verify('a passwore', one)).toBe(false);
    expect(hasher.needsRehash?.(one)).toBe(false);
  });

  it('hashes every byte: passwords that differ after byte 72 have different hashes', async () => {
    const hasher = argon2idHasher(small);
    const hash = await hasher.hash(`${'x'.repeat(100)}1`);
    expect(await hasher.verify(`${'x'.repeat(100)}2`, hash)).toBe(false);
    expect(await hasher.verify(`${'x'.repeat(100)}1`, hash)).toBe(true);
  });

  it.each([
    { memoryKiB: 7167 },
    { memoryKiB: 2 ** 20 + 1 },
    { memoryKiB: 8192.5 },
    { passes: 0 },
    { passes: 17 },
    { passes: NaN },
    { passes: '2' as unknown as number },
  ])('refuses the options %j', (options) => {
    expect(() => argon2idHasher(options)).toThrow(RangeError);
  });

  it('verifies hashes of another tool, with their own parameters, and renews the cheaper ones', async () => {
    const hasher = argon2idHasher({ memoryKiB: 8192, passes: 2 });
    const foreign = (memoryCost: number, timeCost: number, parallelism: number) =>
      argon2Hash('a password', { memoryCost, timeCost, parallelism });
    for (const [memory, passes, lanes, renewed] of [
      [7168, 1, 1, true],
      [8192, 2, 1, false],
      [16_384, 2, 4, false],
      [65_536, 1, 1, false],
    ] as const) {
      const hash = await foreign(memory, passes, lanes);
      expect(await hasher.verify('a password', hash)).toBe(true);
      expect(await hasher.verify('another', hash)).toBe(false);
      expect([memory, hasher.needsRehash?.(hash)]).toEqual([memory, renewed]);
    }
  });

  it('verifies bcrypt hashes, which it renews', async () => {
    const hasher = argon2idHasher(small);
    const long = 'x'.repeat(100);
    for (const [plain, hash] of [
      ['a password', await bcrypt.hash('a password', 10)],
      [long, await bcryptHasher().hash(long)],
    ] as const) {
      expect(await hasher.verify(plain, hash)).toBe(true);
      expect(await hasher.verify(`${plain.slice(0, -1)}!`, hash)).toBe(false);
      expect(hasher.needsRehash?.(hash)).toBe(true);
    }
  });

  it('accepts no password for a malformed hash, or one that would take more than 1 GiB', async () => {
    const hasher = argon2idHasher({ ...small, previous: null });
    const hash = await hasher.hash('a password');
    for (const malformed of [
      '',
      'a password',
      hash.slice(0, 30),
      hash.replace('m=7168', 'm=4194304'),
      hash.replace('t=1', 't=99'),
      hash.replace('p=1', 'p=0'),
      hash.replace('argon2id', 'argon2i'),
      await bcrypt.hash('a password', 4),
    ])
      expect([malformed, await hasher.verify('a password', malformed)]).toEqual([malformed, false]);
  });

  //
  it('does the work of both algorithms at every wrong password, from the first one on', async () => {
    const { previous, verified, cheap } = countingPrevious();
    const hasher = argon2idHasher({ ...small, previous });
    const hash = await hasher.hash('a password');
    await hasher.verify('wrong', hash);
    expect(verified).toHaveLength(1);
    await hasher.verify('wrong', await cheap.hash('an old password'));
    expect(verified).toHaveLength(2);
    await hasher.verify('wrong', hash);
    expect(verified).toHaveLength(3);
    await hasher.verify('a password', hash);
    expect(verified).toHaveLength(3);
  });

  //
  it('a wrong password waits for a thread equally often for every stored hash, also for the first', async () => {
    const hashes = await Promise.all([
      bcryptHasher().hash('an old password'),
      argon2Hash('a password', { memoryCost: 4096, timeCost: 1, parallelism: 1 }),
      argon2Hash('a password', { memoryCost: 7168, timeCost: 1, parallelism: 1 }),
      argon2Hash('a password', { memoryCost: 16_384, timeCost: 1, parallelism: 1 }),
    ]);
    const hasher = argon2idHasher({ ...small, previous: bcryptHasher() });
    await hasher.hash('a decoy');
    const waits = async (hash: string) => {
      let count = 0;
      // Work of @node-rs/argon2 has no name.
      const works = ['undefined', 'bcrypt:CompareAsyncWorker'];
      const hook = createHook({ init: (_id, type) => void (count += Number(works.includes(type))) }).enable();
      expect(await hasher.verify('wrong', hash)).toBe(false);
      hook.disable();
      return count;
    };
    for (const hash of [...hashes, ...hashes]) expect(await waits(hash)).toBe(3);
  });

  it('hashes a decoy of the other algorithm once, when the first password is hashed', async () => {
    const { previous, cheap } = countingPrevious();
    let hashed = 0;
    const counting: PasswordHasher = {
      ...previous,
      hash: (plain) => {
        hashed += 1;
        return previous.hash(plain);
      },
    };
    const hasher = argon2idHasher({ ...small, previous: counting });
    const old = await cheap.hash('an old password');
    const hash = await hasher.hash('a password');
    expect(hashed).toBe(1);
    for (const each of [old, hash, old]) await hasher.verify('wrong', each);
    expect(hashed).toBe(1);
  });

  it('takes as long for the first wrong password of a bcrypt hash as for an unknown user', async () => {
    const medianOf = (times: number[]) => times.sort((a, b) => a - b)[Math.floor(times.length / 2)]!;
    const times: Record<'known' | 'unknown', number[]> = { known: [], unknown: [] };
    const old = await bcryptHasher().hash('an old password');
    for (let round = 0; round < 9; round += 1)
      for (const kind of ['known', 'unknown'] as const) {
        // A process that has seen no bcrypt hash yet.
        const hasher = argon2idHasher(small);
        const decoy = await hasher.hash('a decoy');
        times[kind].push(await cpuMsOf(() => hasher.verify('wrong', kind === 'known' ? old : decoy)));
      }
    // One bcrypt comparison more or less would be at least half of the time.
    expect(medianOf(times.known) / medianOf(times.unknown)).toBeGreaterThan(0.7);
    expect(medianOf(times.known) / medianOf(times.unknown)).toBeLessThan(1.4);
  });

  it('survives a failure of the other algorithm and uses it again later', async () => {
    const { previous, cheap } = countingPrevious();
    let broken = true;
    const failing: PasswordHasher = {
      ...previous,
      hash: async (plain) => {
        if (broken) throw new Error('broken');
        return previous.hash(plain);
      },
    };
    const hasher = argon2idHasher({ ...small, previous: failing });
    const old = await cheap.hash('an old password');
    expect(await hasher.verify('an old password', old)).toBe(true);
    broken = false;
    expect(await hasher.verify('wrong', await hasher.hash('a password'))).toBe(false);
    expect(await hasher.verify('wrong', old)).toBe(false);
  });
});
