/** A second file of lines of JSON, found by an id in each: an index of where the lines are keeps the memory small for any number. */
import { createHash } from 'node:crypto';
import { closeSync, openSync, readSync } from 'node:fs';
import { recordOf } from './json-records.js';
import { readLines } from './lines.js';
import type { Row } from './source.js';
import { asText, simplified, valueAt } from './values.js';

interface Entry {
  digest: number;
  offset: number;
  length: number;
}

export class CompanionFile {
  private constructor(
    private readonly file: number,
    private readonly index: Float64Array,
    private readonly idColumn: string,
    /** Lines that could not be read. */
    readonly faults: number,
  ) {}

  /** Reads the file once. @throws UsageError if it cannot be read. */
  static async open(path: string, idColumn: string): Promise<CompanionFile> {
    const entries = new EntryList();
    let faults = 0;
    for await (const { bytes, number, offset } of readLines(path)) {
      const record = recordOf(bytes, `line ${number}`);
      const id = 'row' in record ? idOf(record.row, idColumn) : null;
      if (id === null || bytes === null) faults++;
      else entries.add({ digest: digestOf(id), offset, length: bytes.length });
    }
    return new CompanionFile(openSync(path, 'r'), entries.sorted(), idColumn, faults);
  }

  /** Returns the object with this id, or null. */
  find(id: string): Row | null {
    const digest = digestOf(id);
    for (let at = this.first(digest); at < this.index.length && this.index[at] === digest; at += 3) {
      const bytes = Buffer.alloc(this.index[at + 2]!);
      readSync(this.file, bytes, 0, bytes.length, this.index[at + 1]!);
      const record = recordOf(bytes, '');
      // Two ids can have the same beginning of their digests.
      if ('row' in record && idOf(record.row, this.idColumn) === id) return record.row;
    }
    return null;
  }

  close(): void {
    closeSync(this.file);
  }

  /** Returns where the first entry with this digest, or a larger one, begins. */
  private first(digest: number): number {
    let [low, high] = [0, this.index.length / 3];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.index[3 * middle]! < digest) low = middle + 1;
      else high = middle;
    }
    return 3 * low;
  }
}

const idOf = (row: Row, column: string) => asText(simplified(valueAt(row, column)));

/** 48 bits, which a number keeps exactly. */
const digestOf = (id: string) => createHash('sha256').update(id).digest().readUIntBE(0, 6);

/** Numbers in one block, which takes 24 bytes per line. */
class EntryList {
  private numbers = new Float64Array(3 * 1024);
  private count = 0;

  add({ digest, length, offset }: Entry): void {
    if (3 * this.count === this.numbers.length) {
      const larger = new Float64Array(2 * this.numbers.length);
      larger.set(this.numbers);
      this.numbers = larger;
    }
    this.numbers.set([digest, offset, length], 3 * this.count++);
  }

  sorted(): Float64Array {
    const order = Uint32Array.from({ length: this.count }, (_, index) => index);
    order.sort((a, b) => this.numbers[3 * a]! - this.numbers[3 * b]!);
    const sorted = new Float64Array(3 * this.count);
    for (const [to, from] of order.entries())
      sorted.set(this.numbers.subarray(3 * from, 3 * from + 3), 3 * to);
    this.numbers = new Float64Array(0);
    return sorted;
  }
}
