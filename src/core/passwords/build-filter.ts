/** Builds password filters from lists: `npx svc-auth passwords build`, and the list of the package. */
import { createHash } from 'node:crypto';
import { createReadStream, type PathLike } from 'node:fs';
import { open, rename, rm, type FileHandle } from 'node:fs/promises';
import {
  digestBytesFor,
  encodeHeader,
  headerBytes,
  mostDigestBytes,
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
  let lineCount = 0;
  for await (const { part } of lines(list)) lineCount += part.length;
  const digests =
    contents === 'folded' ? [await foldedDigests(lines(list), lineCount)] : leakedDigests(list, minCount);
  return writeFilter(digests, contents, lineCount, out);
}

/** Builds a filter of these passwords. */
export async function buildFilterOf(passwords: ReadonlySet<string>, out: string): Promise<BuiltFilter> {
  const digests = await foldedDigests([{ part: passwords }], passwords.size);
  return writeFilter([digests], 'folded', passwords.size, out);
}

/** Digests, ascending, in parts: an asynchronous step per digest would take most of the time. */
type Digests = Iterable<Iterable<Buffer>> | AsyncIterable<Iterable<Buffer>>;

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

/** Returns the digests of folded passwords, in order. They are kept as numbers, which take eight bytes each. */
async function foldedDigests(
  parts: Iterable<{ part: Iterable<string> }> | AsyncIterable<{ part: Iterable<string> }>,
  most: number,
): Promise<Iterable<Buffer>> {
  const numbers = new BigUint64Array(most);
  let count = 0;
  for await (const { part } of parts) {
    for (const password of part) {
      const folded = foldPassword(password);
      if (folded === '') continue;
      numbers[count] = createHash('sha1').update(folded).digest().readBigUInt64BE();
      count += 1;
    }
  }
  return asDigests(numbers.subarray(0, count).sort());
}

function* asDigests(numbers: BigUint64Array): Generator<Buffer> {
  for (const number of numbers) {
    const digest = Buffer.alloc(mostDigestBytes);
    digest.writeBigUInt64BE(number);
    yield digest;
  }
}

/** Reads a sorted list of digests. @throws PasswordListError at the first line that is malformed or not in order. */
async function* leakedDigests(list: PathLike, minCount: number): AsyncGenerator<Buffer[]> {
  let previous = '';
  for await (const { first, part } of lines(list)) {
    const digests: Buffer[] = [];
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
        digests.push(Buffer.from(digest.slice(0, 2 * mostDigestBytes), 'hex'));
    }
    yield digests;
  }
}

/** @param most at most so many digests: it decides how many bytes of each are kept. */
async function writeFilter(
  digests: Digests,
  contents: FilterContents,
  most: number,
  out: string,
): Promise<BuiltFilter> {
  const unfinished = `${out}.unfinished`;
  const file = await open(unfinished, 'w');
  try {
    const digestBytes = digestBytesFor(most, contents);
    const count = await writeDigests(file, digests, digestBytes);
    if (count === 0) throw new PasswordListError('The list has no passwords.');
    await file.write(encodeHeader({ contents, count, digestBytes }), 0, headerBytes, 0);
    await file.sync();
    await file.close();
    await rename(unfinished, out);
    return { passwords: count, bytes: headerBytes + count * digestBytes, contents };
  } catch (error) {
    await file.close().catch(() => undefined);
    await rm(unfinished, { force: true });
    throw error;
  }
}

/** Writes the digests behind the place of the header, each once. Returns how many there are. */
async function writeDigests(file: FileHandle, digests: Digests, digestBytes: number): Promise<number> {
  let previous: Buffer = Buffer.alloc(0);
  let count = 0;
  for await (const part of digests) {
    const distinct: Buffer[] = [];
    for (const whole of part) {
      const digest = whole.subarray(0, digestBytes);
      if (!digest.equals(previous)) distinct.push(digest);
      previous = digest;
    }
    await file.write(Buffer.concat(distinct), 0, null, headerBytes + count * digestBytes);
    count += distinct.length;
  }
  return count;
}
