// Random bytes that are read in blocks (docs/security-requirements.md A-47).
import { randomFillSync } from 'node:crypto';
import { RandomPool, takeRandomBytes } from '../../src/crypto/random-pool.js';

describe('RandomPool', () => {
  /** A pool that shows its block, and how often it has been filled. */
  function observedPool() {
    const seen: { block?: Buffer; fills: number } = { fills: 0 };
    const pool = new RandomPool((block) => {
      seen.block = block;
      seen.fills += 1;
      randomFillSync(block);
    });
    return { pool, seen };
  }

  it.each([0, 1, 12, 16, 32, 255, 8_192])('returns %i bytes', (size) => {
    expect(takeRandomBytes(size)).toHaveLength(size);
  });

  it('refuses more bytes than a block has', () => {
    expect(() => takeRandomBytes(8_193)).toThrow(RangeError);
  });

  it('reads the generator once per block', () => {
    const { pool, seen } = observedPool();
    for (let index = 0; index < 1_024; index += 1) pool.take(16);
    expect(seen.fills).toBe(2);
  });

  //
  it('does not return the same bytes twice, within a block and across blocks', () => {
    const { pool, seen } = observedPool();
    const sizes = [16, 32, 12, 256, 64];
    const taken = Array.from({ length: 1_000 }, (_, index) => pool.take(sizes[index % sizes.length]!));
    // Runs of 8 bytes: those of an overlap would appear in two values, since every size is a multiple of 4.
    const runs = taken.flatMap((bytes) =>
      Array.from({ length: bytes.length / 4 - 1 }, (_, index) =>
        bytes.toString('hex', index * 4, index * 4 + 8),
      ),
    );
    expect(seen.fills).toBeGreaterThan(5);
    expect(new Set(runs).size).toBe(runs.length);
  });

  //
  it('does not start with the zeros of an empty block, and returns no zeros at the end of one', () => {
    const { pool } = observedPool();
    const zeros = Buffer.alloc(24);
    for (let index = 0; index < 2_000; index += 1) expect(pool.take(24).equals(zeros)).toBe(false);
  });

  it('keeps no byte that it has returned', () => {
    const { pool, seen } = observedPool();
    const bytes = pool.take(4_096);
    expect(seen.block!.subarray(0, 4_096).equals(Buffer.alloc(4_096))).toBe(true);
    expect(seen.block!.includes(bytes.subarray(0, 8))).toBe(false);
  });

  it('returns copies: a change of one value changes no other', () => {
    const { pool } = observedPool();
    const [one, other] = [pool.take(32), pool.take(32)];
    const before = Buffer.from(other);
    one.fill(0);
    expect(other.equals(before)).toBe(true);
  });
});
