/** The types of values in input schemas that have their own error, or none. */
import * as z from 'zod';
import type { DeviceInfo } from '../../domain/session.js';
import { InvalidRequestError, UserNotFoundError } from '../../errors/catalog.js';
import { lazily } from '../../runtime/load.js';

/** The id of a user. A value that is not a string is the id of no user. @throws UserNotFoundError in place of InvalidRequestError. */
export const userIdInput = lazily(() =>
  z.string().catch(() => {
    throw new UserNotFoundError();
  }),
);

/** A value that the schema types and does not check, not even that it is given: the method parses it later, with its own error. */
export function unchecked<Value>(): z.ZodType<Value> {
  return z.unknown().optional() as z.ZodType as z.ZodType<Value>;
}

/** The method parses it with `parseDevice`. */
export const deviceInput = lazily(() => z.object(deviceFields()).optional());
const deviceFields = lazily(
  () =>
    ({
      name: unchecked<string>().optional(),
      userAgent: unchecked<string>().optional(),
      ip: unchecked<string>().optional(),
    }) satisfies Record<keyof DeviceInfo, z.ZodType>,
);

/** The method parses it with `parseMetadata`. */
export const metadataInput = lazily(() => unchecked<Record<string, unknown>>().optional());

/** The application's own fields of a sign-up, which `signUp.fields` parses. */
export const fieldsInput = lazily(() => z.record(z.string(), z.unknown()).optional());

/** The solution of a challenge: docs/sign-up.md, Challenges. */
export const challengeSolutionInput = lazily(() => z.string().max(16_384).optional());

/** Returns an id that is a separate argument. @throws InvalidRequestError if it is not a string. */
export function parseId(id: unknown, name: string): string {
  if (typeof id !== 'string') throw new InvalidRequestError(`${name} must be a string.`);
  return id;
}
