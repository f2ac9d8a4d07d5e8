/** Pieces of option schemas that several providers share. */
import type { ZodType } from 'zod';
import type { Zod } from '../runtime/load.js';
import { isWebUrl } from './link-targets.js';
import type { EmailSender } from './senders/email-sender.js';

/** A function option of type `T`; what it takes and returns is for TypeScript to check. */
export function functionOption<T>(z: Zod) {
  return z.custom<T>((value) => typeof value === 'function', 'must be a function');
}

export function senderOption(z: Zod) {
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

/** Text that usually comes from the environment, where it may be missing: then a fault with a name, not a type error. */
export function requiredText(z: Zod, message = 'must be a string that is not empty') {
  return z
    .custom<string | undefined>((value) => typeof value === 'string' && value.trim() !== '', message)
    .transform((value) => value as string);
}

/** `true` for an options object with nothing but defaults. */
export function orTrue<Schema extends ZodType>(z: Zod, options: Schema) {
  return z.union([z.literal(true).transform(() => options.parse({})), options]);
}

/** A duration in milliseconds. */
export function durationMs(z: Zod) {
  return z
    .number('must be a number of milliseconds')
    .int()
    .positive()
    .max(10 * 365 * 86_400_000);
}

export function from(z: Zod) {
  return z
    .string()
    .regex(/^[^\r\n\0]{3,320}$/, 'must be one line: an address, or a name and an address in angle brackets')
    .optional();
}

/** An absolute URL of the web. Where it must be secure, plain http is for localhost only. */
export function absoluteUrl(z: Zod, isAllowed: (url: URL) => boolean = isWebUrl) {
  const kind = isAllowed === isWebUrl ? 'http(s) URL' : 'https URL (http only on localhost)';
  return requiredText(z).refine(
    (text) => URL.canParse(text) && isAllowed(new URL(text)),
    `must be an absolute ${kind} without credentials`,
  );
}
