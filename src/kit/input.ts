/**
 * What a program hands in may be anything, whatever the types say: a body that was not parsed, a variable that was not set.
 * Every method of a provider begins here, so that its caller hears of it by a code and never by a TypeError.
 */
import { InvalidRequestError } from '../errors/catalog.js';

/** @param name what the message calls it. @throws InvalidRequestError unless the input is an object. */
export function checkInput(input: unknown, name = 'The input'): void {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw new InvalidRequestError(`${name} must be an object.`);
  }
}

/** Options or a context: null is as good as absent. @throws InvalidRequestError for anything else that is no object. */
export function optional<Options extends object>(options: Options | null | undefined): Partial<Options> {
  if (options === undefined || options === null) return {};
  checkInput(options, 'Options and context');
  return options;
}

/** A time that is none would let everything pass for recent. @throws InvalidRequestError */
export function checkMilliseconds(value: unknown, name: string): void {
  if (!(Number.isFinite(value) && (value as number) > 0)) {
    throw new InvalidRequestError(`${name} must be a number of milliseconds above 0.`);
  }
}

/**
 * What is left of options once the known ones are taken: a name with a typing error in it would guard nothing.
 * @param why ends the sentence that begins with the name. @throws InvalidRequestError unless all of them are undefined.
 */
export function refuseOthers(others: object, why: string): void {
  const other = Object.entries(others).find(([, value]) => value !== undefined);
  if (other) throw new InvalidRequestError(`${other[0]} ${why}.`);
}

/** A code as somebody typed it, without the spaces that people add. @throws InvalidRequestError for what is none. */
export function parseCode(code: unknown, name = 'code'): string {
  const text = typeof code === 'string' && code.length <= 64 ? code.replace(/\s+/g, '') : '';
  if (text === '') throw new InvalidRequestError(`${name} must be a string that is not empty.`);
  return text;
}
