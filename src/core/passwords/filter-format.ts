/**
 * The file format of password filters: SHA-1 digests, cut to the same number of bytes, sorted, without repetitions, after a header
 * (docs/decisions/common-passwords.md). Little endian: magic (8 bytes), contents (1), bytes per digest (1), reserved (6), number of
 * digests (8).
 */

/** `folded`: digests of folded passwords (`foldPassword`). `exact`: digests of passwords as they were leaked. */
export type FilterContents = 'folded' | 'exact';

export interface FilterHeader {
  contents: FilterContents;
  count: number;
  digestBytes: number;
}

const magic = Buffer.from('svcpwf2\n', 'latin1');
export const headerBytes = 24;
/** Digests are sorted as 64-bit numbers. Enough for 2^43 passwords. */
export const mostDigestBytes = 8;

/**
 * Returns how many bytes of each digest are kept. One of 2^20 passwords that are not in the list is refused at most; a filter of
 * `exact` digests is asked twice, so each lookup gets half of that.
 */
export function digestBytesFor(count: number, contents: FilterContents): number {
  return Math.ceil((Math.log2(count) + (contents === 'exact' ? 21 : 20)) / 8);
}

export function encodeHeader({ contents, count, digestBytes }: FilterHeader): Buffer {
  const header = Buffer.alloc(headerBytes);
  magic.copy(header);
  header.writeUInt8(contents === 'exact' ? 1 : 0, 8);
  header.writeUInt8(digestBytes, 9);
  header.writeBigUInt64LE(BigInt(count), 16);
  return header;
}

/**
 * @param size of the file, to notice one that was copied incompletely.
 * @throws Error if this is not a filter, or not a complete one.
 */
export function decodeHeader(header: Buffer, size: number): FilterHeader {
  if (header.length < headerBytes || !header.subarray(0, magic.length).equals(magic))
    throw new Error('The file is not a password filter: build one with "npx svc-auth passwords build".');
  const [contents, digestBytes] = [header.readUInt8(8), header.readUInt8(9)];
  const count = Number(header.readBigUInt64LE(16));
  const isSound = contents <= 1 && digestBytes >= 1 && digestBytes <= mostDigestBytes && count >= 1;
  if (!isSound || size !== headerBytes + count * digestBytes)
    throw new Error('The password filter is damaged or incomplete: build or copy it again.');
  return { contents: contents === 1 ? 'exact' : 'folded', count, digestBytes };
}
