/** Builds password filters from lists: `npx svc-auth passwords build`, and the list of the package. */
import { createHash } from 'node:crypto';
import { createReadStream, type PathLike } from 'node:fs';
import { open, rename, rm, type FileHandle } from 'node:fs/promises';
import {
  dataStart,
  encodeBucket,
  encodeHeader,
  mostValueBits,
  offsetBytes,
  parametersFor,
  valueOf,
  type FilterContents,
} from './filter-format.js';
import { foldPassword } from './fold-password.js';

/** A list that cannot be used. The message names the line, but not its content, which may be a password in use. */
export class PasswordListError extends Error {}

export interface BuiltFilter {
  passwords: number;
  bytes: number;
  contents: FilterContents;
}

const digestLine = /^([0-9A-Fa-f]{40})(?::(\d+))?$/;

/**
 * Builds a filter from a file with one password per line, or one SHA-1 digest per line, optionally followed by a colon and how often it
 * was leaked. Digests must be sorted: they are read twice and never kept in memory. The filter replaces `out` when it is complete.
 * @param minCount skips digests that were leaked less often.
 * @throws PasswordListError if the list is empty or a line is invalid; the error of the file system.
 */
export async function buildFilter(list: PathLike, out: string, minCount = 1): Promise<BuiltFilter> {
  const contents = await contentsOf(list);
  if (contents === 'folded') return writeFilter(sortedValues(await foldedValues(lines(list))), contents, out);
  let count = 0;
  for await (const part of digestValues(list, minCount)) count += part.length;
  return writeFilter({ count, parts: digestValues(list, minCount) }, contents, out);
}

/** Builds a filter of these passwords. */
export async function buildFilterOf(passwords: Iterable<string>, out: string): Promise<BuiltFilter> {
  return writeFilter(sortedValues(await foldedValues([{ part: passwords }])), 'folded', out);
}

interface Values {
  count: number;
  /** The first 53 bits of each digest, ascending, in parts: an asynchronous step per value would take most of the time. */
  parts: Iterable<ArrayLike<number>> | AsyncIterable<ArrayLike<number>>;
}

/** Reads the lines in parts, with the number of the first line of each. */
async function* lines(list: PathLike): AsyncGenerator<{ first: number; part: string[] }> {
  let rest = '';
  let first = 1;
  for await (const chunk of createReadStream(list, { encoding: 'utf8', highWaterMark: 1 << 18 })) {
    const part = `${rest}${chunk as string}`.split(/\r?\n/);
    rest = part.pop() ?? '';
    yield { first, part };
    first += part.length;
  }
  yield { first, part: [rest] };
}

async function contentsOf(list: PathLike): Promise<FilterContents> {
  for await (const { part } of lines(list)) {
    const line = part.find((each) => each !== '');
    if (line !== undefined) return digestLine.test(line) ? 'exact' : 'folded';
  }
  throw new PasswordListError('The list is empty.');
}

async function foldedValues(
  parts: Iterable<{ part: Iterable<string> }> | AsyncIterable<{ part: Iterable<string> }>,
): Promise<Float64Array> {
  let values = new Float64Array(1024);
  let count = 0;
  for await (const { part } of parts) {
    for (const password of part) {
      const folded = foldPassword(password);
      if (folded === '') continue;
      if (count === values.length) {
        const larger = new Float64Array(2 * count);
        larger.set(values);
        values = larger;
      }
      values[count] = valueOf(createHash('sha1').update(folded).digest(), mostValueBits);
      count += 1;
    }
  }
  return values.subarray(0, count);
}

function sortedValues(all: Float64Array): Values {
  const sorted = all.sort();
  const distinct = sorted.filter((value, index) => value !== sorted[index - 1]);
  return { count: distinct.length, parts: [distinct] };
}

/** Returns the values of a sorted list of digests. @throws PasswordListError at the first line that is malformed or not in order. */
async function* digestValues(list: PathLike, minCount: number): AsyncGenerator<number[]> {
  let previous = '';
  for await (const { first, part } of lines(list)) {
    const values: number[] = [];
    for (const [index, line] of part.entries()) {
      if (line === '') continue;
      const [, digest, count] = digestLine.exec(line) ?? [];
      if (digest === undefined) throw new PasswordListError(`Line ${first + index} is not a SHA-1 digest.`);
      const upper = digest.toUpperCase();
      if (upper < previous)
        throw new PasswordListError(
          `Line ${first + index} is not in the order of the digests: download the list ordered by hash, or sort it.`,
        );
      previous = upper;
      if (count === undefined || Number(count) >= minCount)
        values.push(valueOf(Buffer.from(digest.slice(0, 14), 'hex'), mostValueBits));
    }
    yield values;
  }
}

async function writeFilter(values: Values, contents: FilterContents, out: string): Promise<BuiltFilter> {
  if (values.count === 0) throw new PasswordListError('The list has no passwords.');
  const unfinished = `${out}.unfinished`;
  const file = await open(unfinished, 'w');
  try {
    const bytes = await writeBuckets(file, values, contents);
    await file.sync();
    await file.close();
    await rename(unfinished, out);
    return { passwords: values.count, bytes, contents };
  } catch (error) {
    await file.close().catch(() => undefined);
    await rm(unfinished, { force: true });
    throw error;
  }
}

/** Writes the buckets as their values arrive, then the offsets and the header before them. Returns the size of the file. */
async function writeBuckets(
  file: FileHandle,
  { count, parts }: Values,
  contents: FilterContents,
): Promise<number> {
  const parameters = parametersFor(count, contents);
  const { valueBits, bucketBits, riceBits } = parameters;
  const scale = 2 ** (mostValueBits - valueBits);
  const bucketSize = 2 ** (valueBits - bucketBits);
  const start = dataStart(bucketBits);
  const offsets = Buffer.alloc((2 ** bucketBits + 1) * offsetBytes);
  let pending: Buffer[] = [];
  let encodedBytes = 0;
  let writtenBytes = 0;
  let bucket = 0;
  let inBucket: number[] = [];
  const endBucket = () => {
    const encoded = encodeBucket(inBucket, riceBits);
    pending.push(encoded);
    encodedBytes += encoded.length;
    inBucket = [];
    bucket += 1;
    offsets.writeUIntLE(encodedBytes, bucket * offsetBytes, offsetBytes);
  };
  const flush = async () => {
    await file.write(Buffer.concat(pending), 0, encodedBytes - writtenBytes, start + writtenBytes);
    writtenBytes = encodedBytes;
    pending = [];
  };
  for await (const part of parts) {
    for (let index = 0; index < part.length; index += 1) {
      const value = Math.floor(part[index]! / scale);
      for (const target = Math.floor(value / bucketSize); bucket < target;) endBucket();
      const rest = value % bucketSize;
      if (inBucket.at(-1) !== rest) inBucket.push(rest);
    }
    await flush();
  }
  while (bucket < 2 ** bucketBits) endBucket();
  await flush();
  const bytes = start + encodedBytes;
  await file.write(Buffer.concat([encodeHeader({ ...parameters, bytes }), offsets]), 0, start, 0);
  return bytes;
}
