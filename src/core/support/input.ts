/**
 * Checks the arguments of programmatic calls. They can have any type at run time: a body that was not parsed, a variable that was not
 * set. Every method of a provider checks its input first, so that a caller gets an error code and never a TypeError.
 */
import type * as z from 'zod';
import { InvalidRequestError } from '../../errors/catalog.js';
import { typedCode } from '../../domain/typed-text.js';
import { refuseUnknownKeys, refuseKeysUnknownTo } from './known-keys.js';

/**
 * Returns the input of a method, checked by its schema. The route of the method reads its body with the same schema, which removes
 * unknown keys of the body.
 * @param schema created at the first call (`lazily`), because a process that only starts needs none of them.
 * @throws InvalidRequestError that names the first unknown key and the most similar one, or the first wrong field and its type.
 */
export function parseInput<Input>(schema: () => z.ZodType<Input>, input: unknown): Input {
  // First, because a misspelled key is the cause of a missing one.
  refuseKeysUnknownTo(schema(), input);
  const parsed = schema().safeParse(input);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new InvalidRequestError(
    `${issue?.path.join('.') || 'The input'} ${issue ? ruleOf(issue) : 'is invalid'}.`,
  );
}

function ruleOf(issue: z.core.$ZodIssue): string {
  // The rules of our own schemas are written as the rest of the sentence.
  if (issue.message.startsWith('must ')) return issue.message;
  if (issue.code === 'invalid_value') return `must be one of ${issue.values.join(', ')}`;
  if (issue.code !== 'invalid_type') return 'is invalid';
  return typeNames[issue.expected] ?? `must be a ${issue.expected}`;
}

const typeNames: Readonly<Record<string, string>> = {
  array: 'must be an array',
  int: 'must be an integer',
  nonoptional: 'is required',
  object: 'must be an object',
  record: 'must be an object',
};

/** @param name subject of the error message. @throws InvalidRequestError if the input is not an object. */
export function checkInput(input: unknown, name = 'The input'): void {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw new InvalidRequestError(`${name} must be an object.`);
  }
}

/**
 * Returns the options of a method, or an empty object if they are null or undefined.
 * @param names those of the known options.
 * @throws InvalidRequestError if they are not an object, or contain an unknown key.
 */
export function parseOptions<Options extends object>(
  options: Options | null | undefined,
  names: readonly (keyof Options & string)[],
): Partial<Options> {
  const given = optional(options);
  refuseUnknownKeys(given, names);
  return given;
}

/** As `parseOptions`, for a caller that checks the names. */
export function optional<Options extends object>(options: Options | null | undefined): Partial<Options> {
  if (options === undefined || options === null) return {};
  checkInput(options, 'Options and context');
  return options;
}

/** @throws InvalidRequestError if the value is not a positive number: with an invalid one every sign-in would count as recent. */
export function checkMilliseconds(value: unknown, name: string): void {
  if (!(Number.isFinite(value) && (value as number) > 0)) {
    throw new InvalidRequestError(`${name} must be a number of milliseconds above 0.`);
  }
}

/**
 * Refuses unknown options: an option with a misspelled name would have no effect.
 * @param others the options that are left after the known ones were removed.
 * @param reason rest of the error message, after the name of the option.
 * @throws InvalidRequestError unless all of them are undefined.
 */
export function refuseOthers(others: object, reason: string): void {
  const other = Object.entries(others).find(([, value]) => value !== undefined);
  if (other) throw new InvalidRequestError(`${other[0]} ${reason}.`);
}

/** Returns a code as `typedCode` reads it. @throws InvalidRequestError if it is not a string, is empty or is too long. */
export function parseCode(code: unknown, name = 'code'): string {
  const text = typeof code === 'string' && code.length <= 64 ? typedCode(code) : '';
  if (text === '') throw new InvalidRequestError(`${name} must be a string that is not empty.`);
  return text;
}
