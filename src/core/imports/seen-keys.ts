/** Remembers millions of keys in little memory: 64 bits of the digest of each, in a table with open addressing. */
import { sha256 } from '../../crypto/digest.js';

const firstCapacity = 1 << 12;

export class SeenKeys {
  private slots = new Uint32Array(2 * firstCapacity);
  private size = 0;

  /** Adds a key. False if it was added before. Two of ten million different keys are the same with a probability of one in 370,000. */
  add(key: string): boolean {
    if (this.has(key)) return false;
    if (2 * (this.size + 1) > this.slots.length / 2) this.grow();
    this.size += 1;
    this.insert(...halvesOf(key));
    return true;
  }

  has(key: string): boolean {
    const [high, low] = halvesOf(key);
    const at = this.slotOf(high, low);
    return this.slots[at] !== 0 || this.slots[at + 1] !== 0;
  }

  private insert(high: number, low: number): void {
    const at = this.slotOf(high, low);
    this.slots[at] = high;
    this.slots[at + 1] = low;
  }

  /** Returns the slot with the key, or the free one for it. */
  private slotOf(high: number, low: number): number {
    const { slots } = this;
    const last = slots.length / 2 - 1;
    for (let slot = low & last; ; slot = (slot + 1) & last) {
      const at = 2 * slot;
      const isFree = slots[at] === 0 && slots[at + 1] === 0;
      if (isFree || (slots[at] === high && slots[at + 1] === low)) return at;
    }
  }

  private grow(): void {
    const old = this.slots;
    this.slots = new Uint32Array(2 * old.length);
    for (let at = 0; at < old.length; at += 2) {
      const [high = 0, low = 0] = [old[at], old[at + 1]];
      if (high !== 0 || low !== 0) this.insert(high, low);
    }
  }
}

/** Never both zero, which is a free slot. */
function halvesOf(key: string): [high: number, low: number] {
  const digest = Buffer.from(sha256(key), 'base64url');
  return [(digest.readUInt32LE(0) | 1) >>> 0, digest.readUInt32LE(4)];
}
