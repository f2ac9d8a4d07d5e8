/** Shortens fields and records of CSV that are too long before they are parsed, so that neither they nor a missing quote fill the memory. */
import { maxRecordBytes } from './lines.js';

/** Each takes more memory than its bytes. */
export const mostFields = 10_000;

export const maxFieldBytes = 1024 * 1024;

const [quote, newline, carriageReturn] = [0x22, 0x0a, 0x0d];

/** Follows the quotes of RFC 4180, byte by byte. Ends a field that is too long with a mark and the number of its line, and a record with a field of a mark and its line. */
export class FieldGuard {
  line = 1;
  private readonly delimiter: number;
  private fieldBytes = 0;
  private fieldLine = 1;
  private isQuoted = false;
  /** After a quote within quotes: the end of the field, or the first half of an escaped one. */
  private hasQuote = false;
  private isDropping = false;
  private recordBytes = 0;
  private fields = 0;
  /** Dropping to the end of the record. */
  private isSkipping = false;
  private readonly startLines: number[] = [];
  private firstKept = 0;
  private isEmptyRecord = true;
  private lastByte = 0;

  constructor(
    delimiter: string,
    private readonly mark: string,
  ) {
    this.delimiter = delimiter.charCodeAt(0);
  }

  /** Returns the line of a field that was too long, or null. */
  lineOf(field: string): number | null {
    const at = field.length > maxFieldBytes / 8 ? field.lastIndexOf(this.mark) : -1;
    return at < 0 ? null : Number.parseInt(field.slice(at + this.mark.length), 10);
  }

  /** Returns the line of a record that was too long, or null. */
  lineOfLong(record: readonly string[]): number | null {
    const last = record.at(-1) ?? '';
    const prefix = this.recordMark;
    return last.startsWith(prefix) ? Number.parseInt(last.slice(prefix.length), 10) : null;
  }

  /** Returns the line at which a record starts, which was not returned for a later one. @param index of the record, from 0. */
  startLine(index: number): number {
    return this.startLines[index - this.firstKept] ?? this.line;
  }

  /** Forgets the lines of earlier records. */
  forgetBefore(index: number): void {
    this.startLines.splice(0, index - this.firstKept);
    this.firstKept = Math.max(index, this.firstKept);
  }

  /** Returns the block without what is too long. */
  pass(block: Buffer): Buffer {
    const kept: Buffer[] = [];
    let from = this.isDropping ? -1 : 0;
    for (let at = 0; at < block.length; at++) {
      const byte = block[at]!;
      // Also the ends of lines of old spreadsheets, which are one character.
      if (byte === carriageReturn || (byte === newline && this.lastByte !== carriageReturn)) this.line++;
      this.lastByte = byte;
      if (!this.isDropping) this.recordBytes++;
      const isSecondHalf = this.hasQuote && byte === quote;
      if (this.hasQuote && !isSecondHalf) this.isQuoted = false;
      const isClosing = this.hasQuote && !isSecondHalf;
      this.hasQuote = this.isQuoted && byte === quote && !isSecondHalf;
      if (!this.isQuoted && this.endsField(byte)) {
        const endsRecord = byte !== this.delimiter;
        if (this.isSkipping ? endsRecord : this.isDropping) {
          // The closing quote was dropped with the rest.
          if (isClosing && !this.isSkipping) kept.push(Buffer.from('"'));
          this.isDropping = false;
          this.isSkipping = false;
          from = at;
        }
        if (endsRecord) this.endRecord();
        else if (this.startsTooMuch()) {
          kept.push(block.subarray(from, at + 1), Buffer.from(`${this.recordMark}${this.startLines.at(-1)}`));
          this.isDropping = true;
          this.isSkipping = true;
          from = -1;
        }
        this.fieldBytes = 0;
        this.fieldLine = this.line;
        continue;
      }
      this.startRecord();
      if (byte === quote && this.fieldBytes === 0) this.isQuoted = true;
      this.fieldBytes++;
      if (this.fieldBytes <= maxFieldBytes || this.isDropping || isSecondHalf) continue;
      kept.push(block.subarray(from, at), Buffer.from(`${this.mark}${this.fieldLine}`));
      this.isDropping = true;
      from = -1;
    }
    if (from >= 0) kept.push(block.subarray(from));
    return kept.length === 1 ? kept[0]! : Buffer.concat(kept);
  }

  /** Records of no character at all are skipped by the parser. */
  private startRecord(): void {
    if (this.isEmptyRecord) this.startLines.push(this.fieldLine);
    this.isEmptyRecord = false;
  }

  private endRecord(): void {
    this.isEmptyRecord = true;
    this.recordBytes = 0;
    this.fields = 0;
  }

  /** After a delimiter: whether the field that it starts is one too many. */
  private startsTooMuch(): boolean {
    this.startRecord();
    this.fields++;
    return !this.isSkipping && (this.recordBytes > maxRecordBytes || this.fields >= mostFields);
  }

  private get recordMark(): string {
    return `${this.mark}record:`;
  }

  private endsField(byte: number): boolean {
    return byte === this.delimiter || byte === newline || byte === carriageReturn;
  }
}
