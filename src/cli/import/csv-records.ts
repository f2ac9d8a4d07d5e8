/** Reads records from CSV: with commas, semicolons, tabs or bars, with or without quotes and a byte order mark. Formulas are text. */
import { pipeline, Readable } from 'node:stream';
import { parse, type CsvError } from 'csv-parse';
import { randomToken } from '../../crypto/random.js';
import { UsageError } from '../arguments.js';
import { mustBeNames } from './column-names.js';
import { FieldGuard, maxFieldBytes, mostFields } from './csv-field-guard.js';
import { headOf, maxRecordBytes, readBlocks } from './lines.js';
import type { Row, SourceRecord } from './source.js';

const delimiters = [',', ';', '\t', '|'];

/** @throws UsageError if the file has no line of names, or is not UTF-8. */
export async function* readCsv(file: string): AsyncGenerator<SourceRecord> {
  const delimiter = delimiterOf((await headOf(file, 64 * 1024)).toString('utf8'));
  const guard = new FieldGuard(delimiter, `\u{10FFFF}${randomToken(16)}:`);
  const parser = parse({
    delimiter,
    // As the guard does: a file that two programs have written can have two kinds of line ends.
    record_delimiter: ['\r\n', '\n', '\r'],
    info: true,
    skip_empty_lines: true,
    // An inch mark in a field without quotes is a quote, too.
    relax_quotes: true,
    relax_column_count: true,
  });
  // Its failure ends the loop below.
  pipeline(Readable.from(guarded(file, guard)), parser, () => undefined);
  let names: string[] | null = null;
  let index = -1;
  try {
    const parsed: AsyncIterable<unknown> = parser;
    for await (const item of parsed) {
      const { info, record } = item as Parsed;
      index = info.records - 1;
      const place = `line ${guard.startLine(index)}`;
      guard.forgetBefore(index);
      const longRecord = guard.lineOfLong(record);
      const tooLong = record.map((field) => guard.lineOf(field)).find((line) => line !== null);
      // Otherwise the first user would become the names.
      if (names === null && (longRecord !== null || tooLong !== undefined))
        throw new UsageError(`The first line of ${file} is too long to be the names of its columns.`);
      if (names === null && isOfExcel(record.join(delimiter))) continue;
      if (longRecord !== null) yield longRecordAt(longRecord);
      else if (tooLong !== undefined) yield tooLongRecord(tooLong);
      else if (names === null) names = namesOf(record, file);
      else if (record.length !== names.length)
        yield invalid(place, 'The line has not as many fields as the first one.');
      else yield { place, row: rowOf(names, record) };
    }
  } catch (error) {
    if (!isCsvError(error)) throw error;
    // The message of the parser repeats the field.
    const message =
      error.code === 'CSV_QUOTE_NOT_CLOSED'
        ? 'A quote is not closed.'
        : 'The quotes of the line are not valid.';
    yield invalid(`line ${guard.startLine(index + 1)}`, message);
  }
  if (names === null) throw new UsageError(`${file} has no line with the names of its columns.`);
}

const isCsvError = (error: unknown): error is CsvError =>
  error instanceof Error && String((error as CsvError).code).startsWith('CSV_');

async function* guarded(file: string, guard: FieldGuard): AsyncGenerator<Buffer> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  for await (const block of readBlocks(file)) {
    try {
      decoder.decode(block, { stream: true });
    } catch {
      throw new UsageError(`${file} is not UTF-8 near line ${guard.line}. Save it as UTF-8.`);
    }
    yield guard.pass(block);
  }
}

/** Whether a line before the names says only how fields are separated, as Excel reads it. */
const isOfExcel = (line: string) => /^sep=.$/i.test(line);

/** The one that is most frequent in the first line, outside of quotes. */
function delimiterOf(head: string): string {
  const lines = head.replace(/"[^"]*"/g, '').split(/\r\n?|\n/);
  const first = lines.find((line) => line !== '') ?? '';
  if (isOfExcel(first)) return first.at(-1)!;
  const counts = delimiters.map((delimiter) => first.split(delimiter).length);
  return delimiters[counts.indexOf(Math.max(...counts))] ?? ',';
}

function namesOf(record: readonly string[], file: string): string[] {
  const names = record.map((name) => name.trim());
  mustBeNames(names, file);
  return names;
}

const rowOf = (names: readonly string[], record: readonly string[]): Row =>
  Object.fromEntries(names.map((name, at) => [name, record[at] ?? '']));

interface Parsed {
  info: { records: number };
  record: string[];
}

const tooLongRecord = (line: number): SourceRecord => ({
  place: `line ${line}`,
  fault: {
    reason: 'field_too_long',
    message: `A field is longer than ${maxFieldBytes / 1024 / 1024} MB. A quote that is not closed makes one field of all lines that follow.`,
  },
});

const longRecordAt = (line: number): SourceRecord => ({
  place: `line ${line}`,
  fault: {
    reason: 'record_too_long',
    message: `The record is longer than ${maxRecordBytes / 1024 / 1024} MB, or has more than ${mostFields} fields.`,
  },
});

const invalid = (place: string, message: string): SourceRecord => ({
  place,
  fault: { reason: 'csv_invalid', message },
});
