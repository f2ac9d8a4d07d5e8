/** The form of the records of an import. What is in the fields is checked by record-fields.ts. */
import { isDate } from 'node:util/types';
import * as z from 'zod';
import { isPlainObject } from '../../domain/metadata.js';
import type { ForeignHash, ImportedTime, ImportedUser } from '../../domain/imported-user.js';
import { orgRoles } from '../../domain/org.js';
import { maxTotpApps } from '../../domain/totp.js';
import { InvalidRequestError } from '../../errors/catalog.js';
import { unknownKey } from '../../errors/closest-name.js';
import { lazily } from '../../runtime/load.js';

const id = () => z.union([z.string(), z.number(), z.bigint()], { error: 'must be a string or an integer' });
const time = () =>
  z.custom<ImportedTime>(
    (value) => typeof value === 'string' || typeof value === 'number' || isDate(value),
    'must be a date, an ISO 8601 string, or milliseconds since 1970',
  );
const text = () => z.string().max(10_000);
const json = () => z.custom<Record<string, unknown>>(isPlainObject, 'must be an object');

/** More rows than a person has. They are written in the transaction of the user. */
const mostRows = 200;

const imported = lazily(
  () =>
    z.strictObject({
      externalId: id().nullish(),
      id: id().nullish(),
      email: text().nullish(),
      emailVerified: z.boolean().nullish(),
      username: text().nullish(),
      phone: text().nullish(),
      phoneVerified: z.boolean().nullish(),
      metadata: json().nullish(),
      roles: z.array(text()).readonly().nullish(),
      language: text().nullish(),
      createdAt: time().nullish(),
      lastSignInAt: time().nullish(),
      blocked: z
        .union(
          [
            z.boolean(),
            z.strictObject({ at: time().nullish(), until: time().nullish(), reason: text().nullish() }),
          ],
          { error: 'must be a boolean, or an object of at, until and reason' },
        )
        .nullish(),
      passwordHash: z
        .union([text(), z.custom<ForeignHash>(isPlainObject)], {
          error: 'must be a string, or an object with the parts of a hash',
        })
        .nullish(),
      identities: z
        .array(
          z.strictObject({
            provider: text(),
            providerAccountId: z.union([text(), z.number()]),
            createdAt: time().nullish(),
          }),
        )
        .max(mostRows)
        .readonly()
        .nullish(),
      totp: z
        .strictObject({
          secret: text(),
          name: text().nullish(),
          createdAt: time().nullish(),
          recoveryCodes: z.array(text()).max(mostRows).readonly().nullish(),
          recoveryCodeHashes: z.array(text()).max(mostRows).readonly().nullish(),
          otherApps: z
            .array(z.strictObject({ secret: text(), name: text().nullish(), createdAt: time().nullish() }))
            .max(maxTotpApps - 1)
            .readonly()
            .nullish(),
          codesByEmail: z.boolean().nullish(),
        })
        .nullish(),
      passkeys: z
        .array(
          z.strictObject({
            id: text(),
            publicKey: text(),
            counter: z.number().int().nonnegative().nullish(),
            transports: z.array(text()).max(20).readonly().nullish(),
            backupEligible: z.boolean().nullish(),
            backedUp: z.boolean().nullish(),
            userHandle: text().nullish(),
            aaguid: text().nullish(),
            name: text().nullish(),
            createdAt: time().nullish(),
            lastUsedAt: time().nullish(),
          }),
        )
        .max(mostRows)
        .readonly()
        .nullish(),
      apiKeys: z
        .array(
          z.strictObject({
            digest: text().nullish(),
            id: text().nullish(),
            secretHash: text().nullish(),
            prefix: text().nullish(),
            name: text(),
            scopes: z.array(text()).readonly().nullish(),
            metadata: json().nullish(),
            createdAt: time().nullish(),
            lastUsedAt: time().nullish(),
            expiresAt: time().nullish(),
          }),
        )
        .max(mostRows)
        .readonly()
        .nullish(),
      memberships: z
        .array(
          z.strictObject({
            organization: z.strictObject({
              externalId: id(),
              id: text().nullish(),
              name: text(),
              slug: text().nullish(),
              metadata: json().nullish(),
              createdAt: time().nullish(),
            }),
            role: z.enum(orgRoles),
            createdAt: time().nullish(),
          }),
        )
        .max(mostRows)
        .readonly()
        .nullish(),
    }) satisfies z.ZodType<ImportedUser>,
);

/** Names of the fields of a record. */
export const recordFields = lazily(() => Object.keys(imported().shape));

/** Returns a record whose fields have the right types. @throws InvalidRequestError that names the first field that has not. */
export function parseShape(record: unknown): ImportedUser {
  if (typeof record !== 'object' || record === null || Array.isArray(record))
    throw new InvalidRequestError('A record must be an object.');
  const parsed = imported().safeParse(record);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  if (!issue) throw new InvalidRequestError('The record is invalid.');
  if (issue.code === 'unrecognized_keys') throw unknown(issue.path, issue.keys[0] ?? '');
  const path = issue.path.join('.');
  throw new InvalidRequestError(`${path} ${ruleOf(issue)}.`, { field: String(issue.path[0] ?? '') });
}

function unknown(path: readonly PropertyKey[], key: string): InvalidRequestError {
  const name = key.slice(0, 100);
  if (path.length === 0)
    return new InvalidRequestError(`${name} ${unknownKey(name, recordFields())}`, { field: name });
  return new InvalidRequestError(`${[...path, name].join('.')} is not a known key.`, {
    field: String(path[0]),
  });
}

function ruleOf(issue: z.core.$ZodIssue): string {
  if (issue.message.startsWith('must ')) return issue.message;
  if (issue.code === 'invalid_value') return `must be one of ${issue.values.join(', ')}`;
  if (issue.code === 'too_big') return `must not be longer than ${issue.maximum}`;
  return issue.code === 'invalid_type' ? `must be a ${issue.expected}` : 'is invalid';
}
