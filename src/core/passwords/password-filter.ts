/** Looks passwords up in a filter: the list of the package, or a file of the application. */
import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { lazily, loadCommonPasswords } from '../../runtime/load.js';
import { decodeHeader, headerBytes, type FilterHeader } from './filter-format.js';
import { foldPassword } from './fold-password.js';

/** Returns the bytes from an offset. */
type Read = (offset: number, length: number) => Buffer | Promise<Buffer>;

/** Looks a password up. Passwords that are not in the list are found with a probability below one in a million. */
export interface PasswordFilter {
  contains(password: string): Promise<boolean>;
  /** @throws Error if the filter cannot be read. */
  check(): Promise<void>;
}

/** Returns the list of the package. It is decoded at the first lookup: a megabyte that an application without passwords never needs. */
export function packagedFilter(): PasswordFilter {
  const bytes = lazily(() => Buffer.from(loadCommonPasswords(), 'base64'));
  const read: Read = (offset, length) => bytes().subarray(offset, offset + length);
  return {
    contains: async (password) => contains(password, read, bytes().length),
    check: async () => void decodeHeader(bytes(), bytes().length),
  };
}

/**
 * Returns the filter in a file. A lookup opens it and reads one digest per step of a binary search, so that a filter of a thousand million passwords takes
 * no memory, and a new one can be moved into its place while the application runs.
 */
export function filterInFile(file: string): PasswordFilter {
  async function withFile<T>(work: (read: Read, size: number) => Promise<T>): Promise<T> {
    const handle = await open(file, 'r');
    try {
      const read: Read = async (offset, length) => {
        const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, offset);
        return buffer.subarray(0, bytesRead);
      };
      return await work(read, (await handle.stat()).size);
    } finally {
      await handle.close();
    }
  }
  return {
    contains: (password) => withFile((read, size) => contains(password, read, size)),
    check: () => withFile(async (read, size) => void decodeHeader(await read(0, headerBytes), size)),
  };
}

async function contains(password: string, read: Read, size: number): Promise<boolean> {
  const header = decodeHeader(await read(0, headerBytes), size);
  const folded = foldPassword(password);
  // Digests of leaked passwords cannot be folded: the password is looked up as typed, and as the most common form of it.
  const forms = header.contents === 'exact' ? new Set([password, folded]) : [folded];
  for (const form of forms) if (await containsForm(form, header, read)) return true;
  return false;
}

async function containsForm(
  form: string,
  { count, digestBytes }: FilterHeader,
  read: Read,
): Promise<boolean> {
  const wanted = createHash('sha1').update(form).digest().subarray(0, digestBytes);
  let [low, high] = [0, count];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const order = wanted.compare(await read(headerBytes + middle * digestBytes, digestBytes));
    if (order === 0) return true;
    if (order < 0) high = middle;
    else low = middle + 1;
  }
  return false;
}
