/** The option --hash: the form of hashes that do not name their format. */
import * as z from 'zod';
import { UsageError } from '../arguments.js';
import { pairsOf } from './column-map.js';
import type { HashForm } from './source.js';

const whole = z.coerce.number().int().positive();
const truth = z.enum(['true', 'false']).transform((text) => text === 'true');
const shared = {
  encoding: z.enum(['hex', 'base64', 'base64url']).optional(),
  saltIsText: truth.optional(),
  layout: z
    .string()
    .regex(/^(?:salt[^a-z]hash|hash[^a-z]salt)$/)
    .optional(),
};

const forms = z.discriminatedUnion('format', [
  z.strictObject({
    format: z.literal('pbkdf2'),
    digest: z.enum(['sha1', 'sha256', 'sha512']),
    iterations: whole.optional(),
    ...shared,
  }),
  z.strictObject({ format: z.literal('scrypt'), n: whole, r: whole, p: whole, ...shared }),
  z.strictObject({
    format: z.enum(['sha1', 'sha256', 'sha512']),
    saltPosition: z.enum(['before', 'after']).optional(),
    ...shared,
  }),
]);

/** Parses `format=pbkdf2,digest=sha256,iterations=310000,encoding=hex`. @throws UsageError */
export function parseHashForm(text: string): HashForm {
  const { data, error } = forms.safeParse(Object.fromEntries(pairsOf(text, '--hash')));
  if (data)
    return Object.fromEntries(Object.entries(data).filter(([, value]) => value !== undefined)) as HashForm;
  const [issue] = error.issues;
  const place = issue?.path.join('.') ?? '';
  throw new UsageError(`--hash${place === '' ? '' : `: ${place}`}: ${issue?.message ?? 'is not valid'}.`);
}

/** Returns the form as an argument. */
export const writeHashForm = (form: HashForm) =>
  Object.entries(form)
    .map(([name, value]) => `${name}=${String(value)}`)
    .join(',');
