/** Schemas of options that several providers have. */
import * as z from 'zod';
import { isWebUrl } from '../mail/link-targets.js';
import type { EmailSender } from '../mail/senders/email-sender.js';

/** A function of type `T`. Only that it is a function is checked; TypeScript checks its parameters and its result. */
export function functionOption<T>() {
  return z.custom<T>((value) => typeof value === 'function', 'must be a function');
}

export function senderOption() {
  return z.custom<EmailSender>(
    (value) => hasMethod(value, 'send'),
    'must be a sender, an object with send(message): smtpSender(…) or consoleSender(), for example',
  );
}

export function hasMethod(value: unknown, name: string): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof (value as Record<string, unknown>)[name] === 'function'
  );
}

/** A string that usually comes from the environment. A missing variable is a fault that names the option, not a type error. */
export function requiredString(message = 'must be a string that is not empty') {
  return z
    .custom<string | undefined>((value) => typeof value === 'string' && value.trim() !== '', message)
    .transform((value) => value as string);
}

/** An options object, or `true` for its defaults. */
export function orTrue<Schema extends z.ZodType>(options: Schema) {
  return z.union([z.literal(true).transform(() => options.parse({})), options]);
}

/** A duration in milliseconds, at most ten years. */
export function durationMs() {
  return z
    .number('must be a number of milliseconds')
    .int()
    .positive()
    .max(10 * 365 * 86_400_000);
}

export function fromOption() {
  return z
    .string()
    .regex(/^[^\r\n\0]{3,320}$/, 'must be one line: an address, or a name and an address in angle brackets')
    .optional()
    .describe("Overrides the sender's From.");
}

/** An absolute http(s) URL. With `isSafeUrl`, plain http is allowed on localhost only. */
export function absoluteUrl(isAllowed: (url: URL) => boolean = isWebUrl) {
  const kind = isAllowed === isWebUrl ? 'http(s) URL' : 'https URL (http only on localhost)';
  return requiredString().refine(
    (url) => URL.canParse(url) && isAllowed(new URL(url)),
    `must be an absolute ${kind} without credentials`,
  );
}
