/**
 * What a schema says about the fields of a sign-up, for a form: read as JSON Schema, which zod and the libraries with Standard JSON Schema
 * (https://standardschema.dev/json-schema) export.
 */
import * as z from 'zod';
import type { SignUpFields } from './sign-up-fields.js';

export interface FieldProperty {
  /** `other` cannot be sent by a form. */
  kind: 'string' | 'number' | 'boolean' | 'other';
  isRequired: boolean;
  title?: string | undefined;
  description?: string | undefined;
  /** Such as `email`, `uri` or `date`. */
  format?: string | undefined;
  /** All possible values. */
  values?: readonly (string | number)[] | undefined;
  minLength?: number | undefined;
  maxLength?: number | undefined;
  minimum?: number | undefined;
  maximum?: number | undefined;
  /** Whether only true is accepted, as for terms. */
  mustBeTrue?: boolean;
}

/** Returns the fields by name, in the order of the schema. Null if the schema does not describe itself. */
export function fieldProperties(schema: SignUpFields): Map<string, FieldProperty> | null {
  const described = toJsonSchema(schema);
  const properties = described?.['properties'];
  if (!isObject(properties)) return null;
  const required = Array.isArray(described?.['required']) ? (described['required'] as unknown[]) : [];
  return new Map(
    Object.entries(properties).map(([name, property]) => [
      name,
      toProperty(isObject(property) ? property : {}, required.includes(name)),
    ]),
  );
}

type JsonSchema = Record<string, unknown>;

function toJsonSchema(schema: SignUpFields): JsonSchema | null {
  try {
    // zod before 4.2 has no Standard JSON Schema, and that of zod refuses what has no equivalent, such as a file.
    if ('_zod' in schema) return z.toJSONSchema(schema as z.ZodType, { io: 'input', unrepresentable: 'any' });
    const standard = (schema as { '~standard'?: { jsonSchema?: StandardJsonSchema } })['~standard'];
    const described = standard?.jsonSchema?.input({ target: 'draft-2020-12' });
    return isObject(described) ? described : null;
  } catch {
    return null;
  }
}

interface StandardJsonSchema {
  input(options: { target: string }): unknown;
}

function toProperty(property: JsonSchema, isRequired: boolean): FieldProperty {
  const { title, description } = property;
  const about = { title: textIn(title), description: textIn(description) };
  const choices = [property['anyOf'], property['oneOf']].find(Array.isArray) as unknown[] | undefined;
  const [choice, ...others] = (choices ?? []).filter(isObject).filter(({ type }) => type !== 'null');
  // A field that can be null is a field that can be left empty.
  if (choice && others.length === 0)
    return { ...toProperty(choice, isRequired && choices?.length === 1), ...withoutUndefined(about) };
  const values = choice ? [choice, ...others].flatMap(valuesOf) : valuesOf(property);
  const shared = { ...about, isRequired };
  if (values.length > 0 && values.every((each) => each === true))
    return { ...shared, kind: 'boolean', mustBeTrue: true };
  const named = values.filter((each) => typeof each === 'string' || typeof each === 'number');
  if (named.length > 0 && named.length === values.length)
    return { ...shared, kind: typeof named[0] === 'number' ? 'number' : 'string', values: named };
  const type = Array.isArray(property['type'])
    ? (property['type'] as unknown[]).find((each) => each !== 'null')
    : property['type'];
  return {
    ...shared,
    kind: kinds.get(type) ?? 'other',
    format: textIn(property['format']),
    minLength: numberIn(property['minLength']),
    maxLength: numberIn(property['maxLength']),
    minimum: numberIn(property['minimum'] ?? property['exclusiveMinimum']),
    maximum: numberIn(property['maximum'] ?? property['exclusiveMaximum']),
  };
}

const kinds = new Map<unknown, FieldProperty['kind']>([
  ['string', 'string'],
  ['number', 'number'],
  ['integer', 'number'],
  ['boolean', 'boolean'],
]);

function valuesOf(property: JsonSchema): unknown[] {
  if ('const' in property) return [property['const']];
  return Array.isArray(property['enum']) ? (property['enum'] as unknown[]) : [];
}

function withoutUndefined(about: Pick<FieldProperty, 'title' | 'description'>) {
  return Object.fromEntries(Object.entries(about).filter(([, value]) => value !== undefined));
}

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function numberIn(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
