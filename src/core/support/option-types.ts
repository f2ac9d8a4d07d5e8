/**
 * Schemas of options that several providers have. Those without parameters are created once and shared, because a schema never changes:
 * creating one takes about 20 µs at startup.
 */
import * as z from 'zod';
import { lazily } from '../../runtime/load.js';
import { isSafeUrl, isWebUrl } from './link-targets.js';

/** A function of type `T`. Only that it is a function is checked; TypeScript checks its parameters and its result. */
export function functionOption<T>() {
  return anyFunction() as z.ZodCustom<T, T>;
}

const anyFunction = lazily(() => z.custom((value) => typeof value === 'function', 'must be a function'));

/** A string that usually comes from the environment. A missing variable is a fault that names the option, not a type error. */
export const requiredString = lazily(() =>
  z
    .custom<string | undefined>(
      (value) => typeof value === 'string' && value.trim() !== '',
      'must be a string that is not empty',
    )
    .transform((value) => value as string),
);

/** An options object, or `true` for its defaults. */
export function orTrue<Schema extends z.ZodType>(options: Schema) {
  return z.union([z.literal(true).transform(() => options.parse({})), options]);
}

/** A duration in milliseconds, at most ten years. */
export const durationMs = lazily(() =>
  z
    .number('must be a number of milliseconds')
    .int()
    .positive()
    .max(10 * 365 * 86_400_000),
);

export const fromOption = lazily(() =>
  z
    .string()
    .regex(/^[^\r\n\0]{3,320}$/, 'must be one line: an address, or a name and an address in angle brackets')
    .optional()
    .describe("Overrides the sender's From."),
);

/** An absolute http(s) URL. */
export const absoluteUrl = lazily(() => urlOption('http(s) URL', isWebUrl));

/** An absolute https URL; plain http is allowed on localhost only. */
export const safeUrl = lazily(() => urlOption('https URL (http only on localhost)', isSafeUrl));

function urlOption(kind: string, isAllowed: (url: URL) => boolean) {
  return requiredString().refine(
    (url) => URL.canParse(url) && isAllowed(new URL(url)),
    `must be an absolute ${kind} without credentials`,
  );
}
