/** Reads objects from lines of JSON, from one array, or from an array in an object, such as the users of a realm of Keycloak. */
import { UsageError } from '../arguments.js';
import { maxRecordBytes, headOf, readBlocks, readLines } from './lines.js';
import type { Row, SourceRecord } from './source.js';
import { asObject, parsedJson } from './values.js';

/** Deeper ones are not records of users, but an attempt to exhaust the stack of a program. */
const maxDepth = 100;
const headLength = 64 * 1024;

/** @param lists the names that an array of records may have. */
export async function* readJson(file: string, lists: readonly string[]): AsyncGenerator<SourceRecord> {
  if (await hasLines(file, lists)) {
    for await (const { bytes, number } of readLines(file)) yield recordOf(bytes, `line ${number}`);
    return;
  }
  const scanner = new ArrayScanner(lists);
  for await (const block of readBlocks(file))
    for (const { line, ...found } of scanner.scan(block)) {
      const place = `line ${line}`;
      yield 'message' in found ? invalid(place, found.message) : recordOf(found.bytes, place);
    }
  if (!scanner.hasList)
    throw new UsageError(
      `${file} has neither lines of JSON nor an array of records, as such or as \`${lists.join('` or `')}\`.`,
    );
  if (!scanner.isComplete)
    yield {
      place: 'end of file',
      fault: {
        reason: 'file_incomplete',
        message: 'The file ends within its array, or before the end of what contains it.',
      },
    };
}

const invalid = (place: string, message: string): SourceRecord => ({
  place,
  fault: { reason: 'json_invalid', message },
});

/** Whether the first line is a whole object, and not one that contains the records. */
async function hasLines(file: string, lists: readonly string[]): Promise<boolean> {
  const head = (await headOf(file, headLength))
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .trimStart();
  if (head.startsWith('[')) return false;
  const end = head.indexOf('\n');
  const first = asObject(parsedJson(end < 0 ? head : head.slice(0, end)));
  if (first) return !lists.some((name) => Array.isArray(first[name]));
  // A line that is longer than the head, or one that is broken. An object with an array says so at its beginning.
  return !(end < 0 ? lists.some((name) => head.includes(`"${name}"`)) : /^\{\s*$/.test(head.slice(0, end)));
}

export function recordOf(bytes: Buffer | null, place: string): SourceRecord {
  const refuse = (reason: string, message: string) => ({ place, fault: { reason, message } });
  if (bytes === null)
    return refuse('record_too_long', `The record is longer than ${maxRecordBytes / 1024 / 1024} MB.`);
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    // The message of the parser repeats the text, which may be a hash.
    return error instanceof SyntaxError
      ? refuse('json_invalid', 'The record is not valid JSON.')
      : refuse('encoding_invalid', 'The record is not UTF-8.');
  }
  const row = asObject(value);
  if (!row || typeof value === 'string') return refuse('json_invalid', 'The record is not a JSON object.');
  if (bytes.length > 2 * maxDepth && isDeep(row, maxDepth))
    return refuse('json_too_deep', `The record is nested deeper than ${maxDepth} levels.`);
  return { place, row };
}

function isDeep(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value as Row).some((inner) => isDeep(inner, levels - 1));
}

const [quote, backslash, newline, space, comma] = [0x22, 0x5c, 0x0a, 0x20, 0x2c];
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d];

/** A record, or what cannot be read as one. */
type Found = { line: number; bytes: Buffer | null } | { line: number; message: string };

/** Finds the objects of an array by their brackets, without parsing the rest of the file. Nothing that could be a user is left out in silence. */
class ArrayScanner {
  hasList = false;
  private depth = 0;
  /** The depth of the records. Null outside of their array. */
  private listDepth: number | null = null;
  private hasItems = false;
  /** Whether the array follows another one that had the records. */
  private isSecondList = false;
  /** Whether this item of the array is not an object. */
  private isInOther = false;
  private hasMore = false;
  private isInString = false;
  private isEscaped = false;
  private line = 1;
  private recordLine = 1;
  private parts: Buffer[] = [];
  private length = 0;
  private key = '';
  private previousKey = '';

  constructor(private readonly lists: readonly string[]) {}

  get isComplete(): boolean {
    return this.depth === 0 && !this.isInString;
  }

  *scan(block: Buffer): Generator<Found> {
    let start = this.isInRecord ? 0 : -1;
    for (let at = 0; at < block.length; at++) {
      const byte = block[at]!;
      if (byte === newline) this.line++;
      if (this.isInString) {
        this.inString(byte);
        continue;
      }
      if (byte <= space || this.hasMore) continue;
      const message = this.strangeAt(byte);
      if (message !== null) yield { line: this.line, message };
      if (this.hasMore) continue;
      if (byte === quote) {
        this.isInString = true;
        this.key = '';
      } else if (byte === openBrace || byte === openBracket) {
        if (this.depth === this.listDepth) {
          start = at;
          this.recordLine = this.line;
        }
        this.open(byte);
      } else if (byte === closeBrace || byte === closeBracket) {
        this.depth--;
        if (this.depth === this.listDepth && start >= 0) {
          this.add(block.subarray(start, at + 1));
          yield this.take();
          start = -1;
        } else if (this.listDepth !== null && this.depth < this.listDepth) this.listDepth = null;
      }
    }
    if (start >= 0) this.add(block.subarray(start));
  }

  private get isInRecord(): boolean {
    return this.listDepth !== null && this.depth > this.listDepth;
  }

  private inString(byte: number): void {
    if (this.isEscaped) this.isEscaped = false;
    else if (byte === backslash) this.isEscaped = true;
    else if (byte === quote) {
      this.isInString = false;
      this.previousKey = this.key;
    } else if (this.depth === 1 && this.listDepth === null && this.key.length < 64)
      this.key += String.fromCharCode(byte);
  }

  private open(byte: number): void {
    this.depth++;
    if (byte !== openBracket || this.listDepth !== null) return;
    const isList = this.depth === 1 || (this.depth === 2 && this.lists.includes(this.previousKey));
    if (!isList) return;
    this.listDepth = this.depth;
    this.hasList = true;
    this.isSecondList = this.hasItems;
  }

  /** Says what is wrong with a byte outside of strings, once for each item. */
  private strangeAt(byte: number): string | null {
    if (this.depth === 0 && this.hasList) {
      this.hasMore = true;
      return 'The file continues after the end of its array, and nothing from here on was read. Import each array as a file.';
    }
    if (this.depth !== this.listDepth || byte === closeBracket) return null;
    if (byte === comma) {
      this.isInOther = false;
      return null;
    }
    this.hasItems = true;
    if (this.isSecondList) {
      this.listDepth = null;
      return 'The file has a second array of records, which was not read. Import it as a file.';
    }
    if (byte === openBrace || byte === openBracket || this.isInOther) return null;
    this.isInOther = true;
    return 'The record is not a JSON object.';
  }

  private add(part: Buffer): void {
    this.length += part.length;
    // The block is used again for what is read next.
    if (this.length <= maxRecordBytes) this.parts.push(Buffer.from(part));
    else this.parts = [];
  }

  private take(): Found {
    const bytes = this.length > maxRecordBytes ? null : Buffer.concat(this.parts);
    [this.parts, this.length] = [[], 0];
    return { line: this.recordLine, bytes };
  }
}

/** Whether a file is CSV, and neither JSON nor lines of it. */
export async function isCsv(file: string): Promise<boolean> {
  const head = (await headOf(file, headLength))
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .trimStart();
  return !/^[[{]/.test(head);
}
