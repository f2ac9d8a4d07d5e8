/** Reads a file in lines or blocks, without keeping more of it than the limit of one record. */
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { UsageError } from '../arguments.js';

/** What one record of a file may have. */
export const maxRecordBytes = 8 * 1024 * 1024;

export interface Line {
  number: number;
  offset: number;
  /** Null if it is longer than a record may be. */
  bytes: Buffer | null;
}

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

/** Yields the content of a file without its byte order mark. @throws UsageError if it cannot be read, or is UTF-16. */
export async function* readBlocks(file: string): AsyncGenerator<Buffer> {
  let isFirst = true;
  try {
    for await (const chunk of createReadStream(file, { highWaterMark: 256 * 1024 })) {
      const block = chunk as Buffer;
      if (isFirst && isUtf16(block)) throw new UsageError(`${file} is UTF-16. Save it as UTF-8.`);
      const hasMark = isFirst && block.subarray(0, 3).equals(byteOrderMark);
      isFirst = false;
      yield hasMark ? block.subarray(3) : block;
    }
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(
      code === 'ENOENT' ? `The file ${file} does not exist.` : `${file} cannot be read (${code ?? 'error'}).`,
    );
  }
}

const isUtf16 = (block: Buffer) =>
  block.length >= 2 && ((block[0] === 0xff && block[1] === 0xfe) || (block[0] === 0xfe && block[1] === 0xff));

const newline = 0x0a;

/** Yields the lines that are not empty. */
export async function* readLines(file: string): AsyncGenerator<Line> {
  let parts: Buffer[] = [];
  let length = 0;
  let number = 1;
  let start = await markLengthOf(file);
  let position = start;
  const line = (): Line | null => {
    const bytes = length > maxRecordBytes ? null : trimmed(Buffer.concat(parts));
    return bytes?.length === 0 ? null : { number, offset: start, bytes };
  };
  const add = (part: Buffer) => {
    length += part.length;
    if (length <= maxRecordBytes) parts.push(part);
    else parts = [];
  };
  for await (const block of readBlocks(file)) {
    let from = 0;
    for (let end = block.indexOf(newline); end >= 0; end = block.indexOf(newline, from)) {
      add(block.subarray(from, end));
      const found = line();
      if (found) yield found;
      from = end + 1;
      [parts, length] = [[], 0];
      number++;
      start = position + from;
    }
    add(block.subarray(from));
    position += block.length;
  }
  const last = length > 0 ? line() : null;
  if (last) yield last;
}

async function markLengthOf(file: string): Promise<number> {
  const head = await headOf(file, 3);
  return head.equals(byteOrderMark) ? 3 : 0;
}

/** Returns the beginning of a file. @throws UsageError if it cannot be read. */
export async function headOf(file: string, length: number): Promise<Buffer> {
  const handle = await open(file, 'r').catch(({ code }: NodeJS.ErrnoException) => {
    throw new UsageError(
      code === 'ENOENT' ? `The file ${file} does not exist.` : `${file} cannot be read (${code ?? 'error'}).`,
    );
  });
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, 0);
    return buffer.subarray(0, bytesRead);
  } catch {
    throw new UsageError(`${file} cannot be read.`);
  } finally {
    await handle.close();
  }
}

function trimmed(bytes: Buffer): Buffer {
  let end = bytes.length;
  while (end > 0 && (bytes[end - 1] === 0x0d || bytes[end - 1] === 0x20)) end--;
  return bytes.subarray(0, end);
}
