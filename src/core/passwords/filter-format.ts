/**
 * The file format of password filters: a set of truncated SHA-1 digests, in Golomb-Rice coding. Digests are sorted and split into
 * buckets by their first bits, so that a lookup reads one bucket of a few hundred bytes, and a list in the order of its digests is
 * encoded in one pass (docs/decisions/common-passwords.md).
 *
 * Little endian: magic (8 bytes), bits per value (1), bits of the bucket (1), Rice parameter (1), contents (1), reserved (4), number of
 * passwords (8), bytes of the file (8). Then the offset of every bucket and of the end, five bytes each, then the buckets.
 */

/** `folded`: digests of folded passwords (`foldPassword`). `exact`: digests of passwords as they were leaked. */
export type FilterContents = 'folded' | 'exact';

export interface FilterHeader {
  contents: FilterContents;
  count: number;
  valueBits: number;
  bucketBits: number;
  riceBits: number;
  /** Size of the whole file. */
  bytes: number;
}

const magic = Buffer.from('svcpwf1\n', 'latin1');
export const headerBytes = 32;
export const offsetBytes = 5;
/** A value is computed with numbers, which are exact up to 53 bits. */
export const mostValueBits = 53;

/**
 * Returns the parameters for a number of passwords. One of 2^20 passwords that are not in the list is refused at most; a filter of
 * `exact` digests is asked twice, so each lookup gets half of that.
 */
export function parametersFor(count: number, contents: FilterContents): Omit<FilterHeader, 'bytes'> {
  const countBits = Math.ceil(Math.log2(Math.max(count, 1)));
  const riceBits = contents === 'exact' ? 21 : 20;
  return {
    contents,
    count,
    valueBits: countBits + riceBits,
    // Between 64 and 128 passwords per bucket.
    bucketBits: Math.max(0, countBits - 7),
    riceBits,
  };
}

/** Returns the first bits of a SHA-1 digest as a number. */
export function valueOf(digest: Uint8Array, valueBits: number): number {
  const view = Buffer.from(digest.buffer, digest.byteOffset, digest.byteLength);
  const first53 = view.readUIntBE(0, 6) * 32 + (view.readUInt8(6) >> 3);
  return Math.floor(first53 / 2 ** (mostValueBits - valueBits));
}

/** Returns where the first bucket begins. */
export function dataStart(bucketBits: number): number {
  return headerBytes + (2 ** bucketBits + 1) * offsetBytes;
}

export function encodeHeader({
  contents,
  count,
  valueBits,
  bucketBits,
  riceBits,
  bytes,
}: FilterHeader): Buffer {
  const header = Buffer.alloc(headerBytes);
  magic.copy(header);
  header.writeUInt8(valueBits, 8);
  header.writeUInt8(bucketBits, 9);
  header.writeUInt8(riceBits, 10);
  header.writeUInt8(contents === 'exact' ? 1 : 0, 11);
  header.writeBigUInt64LE(BigInt(count), 16);
  header.writeBigUInt64LE(BigInt(bytes), 24);
  return header;
}

/**
 * @param size of the file, to notice one that was copied incompletely.
 * @throws Error if this is not a filter, or not a complete one.
 */
export function decodeHeader(header: Buffer, size: number): FilterHeader {
  if (header.length < headerBytes || !header.subarray(0, magic.length).equals(magic))
    throw new Error('The file is not a password filter: build one with "npx svc-auth passwords build".');
  const [valueBits, bucketBits, riceBits] = [header.readUInt8(8), header.readUInt8(9), header.readUInt8(10)];
  const bytes = Number(header.readBigUInt64LE(24));
  const isSound =
    valueBits <= mostValueBits &&
    riceBits >= 8 &&
    bucketBits <= valueBits &&
    valueBits - bucketBits <= 30 &&
    header.readUInt8(11) <= 1 &&
    bytes >= dataStart(bucketBits);
  if (!isSound || bytes !== size)
    throw new Error('The password filter is damaged or incomplete: build or copy it again.');
  const contents = header.readUInt8(11) === 1 ? 'exact' : 'folded';
  return { contents, count: Number(header.readBigUInt64LE(16)), valueBits, bucketBits, riceBits, bytes };
}

/** Encodes the values of one bucket, which are sorted and distinct: the differences between them, first the quotient in unary. */
export function encodeBucket(values: readonly number[], riceBits: number): Buffer {
  const divisor = 2 ** riceBits;
  const quotients = Math.floor((values.at(-1) ?? 0) / divisor);
  const bucket = Buffer.alloc(Math.ceil((values.length * (riceBits + 1) + quotients) / 8));
  let at = 0;
  const write = (bit: number) => {
    bucket[at >> 3]! |= bit << (7 - (at & 7));
    at += 1;
  };
  let previous = -1;
  for (const value of values) {
    const difference = value - previous - 1;
    for (let quotient = Math.floor(difference / divisor); quotient > 0; quotient -= 1) write(1);
    write(0);
    for (let place = riceBits - 1; place >= 0; place -= 1) write((difference >>> place) & 1);
    previous = value;
  }
  return bucket.subarray(0, Math.ceil(at / 8));
}

/** Returns whether a bucket contains a value. The padding of its last byte is shorter than a remainder, so it is never read as a value. */
export function bucketContains(bucket: Uint8Array, riceBits: number, wanted: number): boolean {
  const end = bucket.length * 8;
  const divisor = 2 ** riceBits;
  const bit = (at: number) => (bucket[at >> 3]! >> (7 - (at & 7))) & 1;
  let at = 0;
  let value = -1;
  for (;;) {
    let quotient = 0;
    for (; at < end && bit(at) === 1; at += 1) quotient += 1;
    at += 1;
    if (at + riceBits > end) return false;
    let remainder = 0;
    for (const last = at + riceBits; at < last; at += 1) remainder = remainder * 2 + bit(at);
    value += quotient * divisor + remainder + 1;
    if (value >= wanted) return value === wanted;
  }
}
