/** The inputs of `service.users`. Null counts as absent, except for `username`. */
import { isDate } from 'node:util/types';
import * as z from 'zod';
import { isStorableText } from '../../domain/storable-text.js';
import { changeByFields } from '../../core/sessions/change-by.js';

// Not `z.date()`, which refuses a Date of another realm. PostgreSQL does not parse the ISO 8601 form of later years.
const time = z.custom<Date>((value) => isDate(value) && value.getTime() >= 0 && value.getTime() < lastTime);
const lastTime = Date.UTC(9999, 11, 31);

export const updateByInput = changeByFields.extend({ ifUpdatedAt: time.nullish() }).nullish();
export type UserUpdateBy = z.input<typeof updateByInput>;

export const lookupInput = z.union([
  z.object({ email: z.string() }),
  z.object({ phone: z.string() }),
  z.object({ username: z.string() }),
  z.object({ provider: z.string(), providerAccountId: z.string() }),
]);
export type UserLookupInput = z.input<typeof lookupInput>;

export const filterFields = z.object({
  search: z.string().max(320).nullish(),
  role: z.string().nullish(),
  blocked: z.boolean().nullish(),
  verified: z.boolean().nullish(),
  guest: z.boolean().nullish(),
  createdAfter: time.nullish(),
  createdBefore: time.nullish(),
});
export const filterInput = filterFields.nullish();

export const orderFields = z.object({ sort: z.enum(['newest', 'oldest']).nullish() });
export const orderInput = orderFields.nullish();

// src/domain has the rules of metadata, roles, addresses and user names.
const jsonObject = z.unknown().optional().meta({ type: 'object' });
const listOfRoles = z
  .unknown()
  .optional()
  .meta({ type: 'array', items: { type: 'string' } });
const fields = {
  email: z.string().nullish(),
  emailVerified: z.boolean().nullish(),
  username: z.string().nullish(),
  metadata: jsonObject,
  roles: listOfRoles,
};

export const passwordInput = z.object({ password: z.string() });

export const newUserInput = z.object({ ...fields, password: z.string().nullish() });

export const newInviteInput = z.object({
  email: z.string(),
  metadata: fields.metadata,
  roles: fields.roles,
  redirectTo: z.string().nullish(),
});

export const userUpdateInput = z.object({ ...fields, mergeMetadata: jsonObject });

export const blockFields = z.object({
  reason: z.string().max(500).refine(isStorableText).nullish(),
  until: time.nullish(),
});
export const blockInput = blockFields.nullish();
