/**
 * The application's fields of a sign-up, checked by its schema. The schema may come from any version of zod or from another library, so
 * only its methods are used: Standard Schema (https://standardschema.dev) or `safeParse`.
 */
import * as z from 'zod';
import { parseJsonObject } from '../../domain/metadata.js';
import { InternalError, InvalidRequestError, type FieldIssue } from '../../errors/catalog.js';
import { withTimeout } from '../support/timeouts.js';

/** A schema of an object: a zod object, another Standard Schema, or any object with `safeParse`. */
export type SignUpFields =
  | { readonly '~standard': { readonly validate: (value: unknown) => unknown } }
  | { safeParse(value: unknown): unknown };

export function fieldsOption() {
  return z.custom<SignUpFields>(
    (schema) => validatorOf(schema) !== null,
    'must be a zod object, a Standard Schema or an object with safeParse',
  );
}

type Fields = Record<string, unknown>;

/**
 * Returns the result of the schema, as JSON.
 * @throws InvalidRequestError, also for a field that the schema does not have; InternalError if the schema throws, or takes longer than
 * five seconds.
 */
export async function parseFields(
  schema: SignUpFields | undefined,
  fields: Fields | undefined,
): Promise<Fields> {
  const input = parseJsonObject(fields, 'fields');
  const validate = validatorOf(schema);
  if (!validate) {
    const [name] = Object.keys(input);
    if (name !== undefined) throw unknownField(name);
    return {};
  }
  const { output, issues } = await run(validate, input);
  if (issues) throw refusal(issues);
  const parsed = parseJsonObject(output, 'fields');
  // Most schemas drop unknown keys. A client with a misspelled name must learn of it.
  const known = new Set([...Object.keys(shapeOf(schema)), ...Object.keys(parsed)]);
  const unknown = Object.keys(input).find((name) => !known.has(name));
  if (unknown !== undefined) throw unknownField(unknown);
  return parsed;
}

interface Validated {
  output?: unknown;
  issues?: unknown;
}

type Validator = (input: Fields) => Promise<Validated>;

/** Null if the value is not a schema. Some libraries have schemas that are functions. */
function validatorOf(schema: unknown): Validator | null {
  if (!isObject(schema)) return null;
  const standard = schema['~standard'];
  if (isObject(standard) && typeof standard['validate'] === 'function') {
    const { validate } = standard as { validate: (value: unknown) => unknown };
    return async (input) => {
      const { value, issues } = asResult(await validate.call(standard, input));
      return issues === undefined ? { output: value } : { issues };
    };
  }
  if (typeof schema['safeParse'] !== 'function') return null;
  const { safeParse } = schema as { safeParse: (value: unknown) => unknown };
  return async (input) => {
    const { success, data, error } = asResult(await safeParse.call(schema, input));
    return success === true ? { output: data } : { issues: (isObject(error) && error['issues']) || [] };
  };
}

async function run(validate: Validator, input: Fields): Promise<Validated> {
  try {
    return await withTimeout(validate(input), 'signUp.fields', 5_000);
  } catch (error) {
    throw new InternalError(error, 'signUp.fields failed.');
  }
}

function asResult(result: unknown): Record<string, unknown> {
  if (isObject(result)) return result;
  throw new TypeError('The schema returned no result.');
}

function isObject(value: unknown): value is Record<string, unknown> {
  return (typeof value === 'object' || typeof value === 'function') && value !== null;
}

/** The fields of a zod object, or nothing for another schema. */
function shapeOf(schema: unknown): object {
  const shape = isObject(schema) ? schema['shape'] : undefined;
  return isObject(shape) ? shape : {};
}

/** Names every faulty field once, with its first message. */
function refusal(reported: unknown): InvalidRequestError {
  const all = (Array.isArray(reported) ? (reported as unknown[]) : []).slice(0, maxIssues).map(toIssue);
  const issues = all.filter(({ field }, index) => all.findIndex((each) => each.field === field) === index);
  const field = issues[0]?.field ?? 'fields';
  const details = { field, reason: 'field_invalid', issues };
  return new InvalidRequestError(`${field} is missing or invalid.`, details);
}

const maxIssues = 100;
const maxMessageLength = 500;

/** The issues of both interfaces have a message, and a path whose parts are keys or objects with a key. */
function toIssue(reported: unknown): FieldIssue {
  const issue = isObject(reported) ? reported : {};
  const path = Array.isArray(issue['path']) ? (issue['path'] as unknown[]) : [];
  const [part] = path.map((each) => (isObject(each) ? each['key'] : each));
  const { message } = issue;
  return {
    field: nameOf(part),
    message: typeof message === 'string' ? message.slice(0, maxMessageLength) : '',
  };
}

function unknownField(name: string): InvalidRequestError {
  const field = nameOf(name);
  return new InvalidRequestError(`${field} is not a field of signUp.fields.`, {
    field,
    reason: 'field_unknown',
  });
}

/** The name of a field comes from the client, so only a plain one is repeated. */
function nameOf(field: unknown): string {
  return typeof field === 'string' && /^\w{1,64}$/.test(field) ? `fields.${field}` : 'fields';
}
