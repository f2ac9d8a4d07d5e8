/**
 * Random bytes of the operating system's generator, read in blocks: a call costs about as much for 8 KiB as for 16 bytes, and every sign-in,
 * page and link needs some. `randomInt` and `randomUUID` of Node read blocks as well.
 */
import { randomFillSync } from 'node:crypto';

const blockSize = 8_192;

export class RandomPool {
  private readonly block = Buffer.alloc(blockSize);
  private used = blockSize;

  /** @param fill fills a whole block. */
  constructor(private readonly fill: (block: Buffer) => unknown) {}

  /** Returns `size` random bytes, at most 8192. They leave the block: none is returned twice, and none that is in use remains in it. */
  take(size: number): Buffer {
    if (size > blockSize) throw new RangeError(`A block has ${blockSize} bytes.`);
    if (this.used + size > blockSize) {
      this.fill(this.block);
      this.used = 0;
    }
    // A copy, because the caller may change and keep it.
    const bytes = Buffer.from(this.block.subarray(this.used, this.used + size));
    this.block.fill(0, this.used, this.used + size);
    this.used += size;
    return bytes;
  }
}

// One for the process, as Node has one for `randomUUID`: it contains nothing that belongs to a service.
const pool = new RandomPool((block) => randomFillSync(block));

/** Returns `size` random bytes that nothing else has. */
export function takeRandomBytes(size: number): Buffer {
  return pool.take(size);
}
