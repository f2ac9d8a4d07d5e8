/** The options of an import. */
import * as z from 'zod';
import type { ImportFault, ImportReport } from '../../domain/import-report.js';
import type { ImportOptions } from '../../domain/imported-user.js';
import { InvalidRequestError } from '../../errors/catalog.js';
import { lazily } from '../../runtime/load.js';
import { parseInput } from '../support/input.js';

const callback = <Argument, Result = void>() =>
  z.custom<(value: Argument) => Result>((value) => typeof value === 'function', 'must be a function');

const importOptions = lazily(
  () =>
    z
      .strictObject({
        onConflict: z.enum(['fail', 'skip', 'merge']).optional(),
        dryRun: z.boolean().optional(),
        emailVerified: z.enum(['as-given', 'trust-all']).optional(),
        phoneVerified: z.enum(['as-given', 'trust-all']).optional(),
        anyUsername: z.boolean().optional(),
        externalIdPrefix: z
          .string('must be a string')
          .regex(/^[\x21-\x7e][\x20-\x7e]{0,99}$/, 'must be 1 to 100 printable ASCII characters')
          .optional(),
        updatePasswords: z.boolean().optional(),
        batchSize: z
          .number('must be an integer from 1 to 5000')
          .int('must be an integer from 1 to 5000')
          .min(1, 'must be at least 1')
          .max(5_000, 'must be at most 5000')
          .optional(),
        onProgress: callback<ImportReport, void | Promise<void>>().optional(),
        onFault: callback<ImportFault>().optional(),
        signal: z
          .custom<AbortSignal>((value) => value instanceof AbortSignal, 'must be an AbortSignal')
          .optional(),
      })
      .nullish() satisfies z.ZodType<ImportOptions | null | undefined>,
);

/** @throws InvalidRequestError that names an unknown or a wrong option. */
export function parseImportOptions(options: ImportOptions | null | undefined): ImportOptions {
  return parseInput(importOptions, options) ?? {};
}

export type ImportSource = Iterable<unknown> | AsyncIterable<unknown>;

/** @throws InvalidRequestError unless the records can be iterated. */
export function checkSource(records: unknown): ImportSource {
  const isObject = typeof records === 'object' && records !== null;
  if (isObject && (Symbol.asyncIterator in records || Symbol.iterator in records))
    return records as ImportSource;
  throw new InvalidRequestError('records must be an array, an iterable or an async iterable of users.', {
    field: 'records',
  });
}
