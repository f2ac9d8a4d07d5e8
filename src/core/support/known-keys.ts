/**
 * The keys that an object may have. A key with a misspelled name would have no effect: a user would be created without the password, or
 * a limit would not count the client.
 */
import type * as z from 'zod';
import { InvalidRequestError } from '../../errors/catalog.js';
import { unknownKey } from '../../errors/closest-name.js';

/** The schemas of the known keys. Null if any key is allowed. */
type Shape = Readonly<Record<string, z.core.$ZodType>> | null;

/**
 * A key whose value is undefined counts as not given.
 * @param path the keys that lead to the object, each followed by a dot.
 * @throws InvalidRequestError that names the first unknown key, and the most similar known one.
 */
export function refuseUnknownKeys(given: object, names: readonly string[], path = ''): void {
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || names.includes(name)) continue;
    throw new InvalidRequestError(`${path}${name.slice(0, 100)} ${unknownKey(name, names)}`);
  }
}

/** As `refuseUnknownKeys`, for the objects of which a schema names the keys. */
export function refuseKeysUnknownTo(schema: z.core.$ZodType, input: unknown, path = ''): void {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return;
  const shape = shapeOf(schema);
  if (!shape) return;
  refuseUnknownKeys(input, Object.keys(shape), path);
  for (const [name, member] of Object.entries(shape)) {
    refuseKeysUnknownTo(member, (input as Record<string, unknown>)[name], `${path}${name}.`);
  }
}

function shapeOf(schema: z.core.$ZodType): Shape {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === 'object') return def.catchall === undefined || isNever(def.catchall) ? def.shape : null;
  if (def.type === 'union') return mergedShape(def.options.map(shapeOf));
  return 'innerType' in def ? shapeOf(def.innerType) : null;
}

/** A key of a union is known if it is one of any of its members. */
function mergedShape(shapes: readonly Shape[]): Shape {
  return shapes.every((shape) => shape !== null) ? (Object.assign({}, ...shapes) as Shape) : null;
}

/** True of the keys of a strict object that it does not name. */
function isNever(schema: z.core.$ZodType): boolean {
  return schema._zod.def.type === 'never';
}
