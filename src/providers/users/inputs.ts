/** The inputs of `service.users`. Null counts as absent, except for `username` and `externalId`. */
import { isDate } from 'node:util/types';
import * as z from 'zod';
import { isStorableText } from '../../domain/storable-text.js';
import { changeByFields } from '../../core/sessions/change-by.js';
import { unchecked } from '../../core/support/input-types.js';
import { lazily } from '../../runtime/load.js';

// Not `z.date()`, which refuses a Date of another realm. PostgreSQL does not parse the ISO 8601 form of later years.
const time = lazily(() =>
  z.custom<Date>((value) => isDate(value) && value.getTime() >= 0 && value.getTime() < lastTime),
);
const lastTime = Date.UTC(9999, 11, 31);

export const updateByInput = lazily(() =>
  changeByFields().extend({ ifUpdatedAt: time().nullish() }).nullish(),
);
export type UserUpdateBy = z.input<ReturnType<typeof updateByInput>>;

const externalId = lazily(() => z.union([z.string(), z.number(), z.bigint()]));

export const lookupInput = lazily(() =>
  z.union([
    z.object({ email: z.string() }),
    z.object({ phone: z.string() }),
    z.object({ username: z.string() }),
    z.object({ externalId: externalId() }),
    z.object({ provider: z.string(), providerAccountId: z.string() }),
  ]),
);
export type UserLookupInput = z.input<ReturnType<typeof lookupInput>>;

export const filterFields = lazily(() =>
  z.object({
    search: z.string().max(320).nullish(),
    within: z.enum(['beginning', 'words']).nullish(),
    role: z.string().nullish(),
    externalId: externalId().nullish(),
    blocked: z.boolean().nullish(),
    verified: z.boolean().nullish(),
    guest: z.boolean().nullish(),
    createdAfter: time().nullish(),
    createdBefore: time().nullish(),
  }),
);
export const filterInput = lazily(() => filterFields().nullish());

export const orderFields = lazily(() => z.object({ sort: z.enum(['newest', 'oldest']).nullish() }));

/** `readPage` checks the page. */
export const listInput = lazily(() =>
  filterFields()
    .extend({ ...orderFields().shape, ...pageFields().shape })
    .nullish(),
);
const pageFields = lazily(() =>
  z.object({ cursor: unchecked<string | null>().optional(), limit: unchecked<number>().optional() }),
);

// src/domain has the rules of metadata, roles, addresses, user names and external ids.
const jsonObject = lazily(() => z.unknown().optional().meta({ type: 'object' }));
const listOfRoles = lazily(() =>
  z
    .unknown()
    .optional()
    .meta({ type: 'array', items: { type: 'string' } }),
);
const anyExternalId = lazily(() =>
  z
    .unknown()
    .optional()
    .meta({ type: ['string', 'integer', 'null'] }),
);
const fields = lazily(() => ({
  email: z.string().nullish(),
  emailVerified: z.boolean().nullish(),
  username: z.string().nullish(),
  externalId: anyExternalId(),
  metadata: jsonObject(),
  roles: listOfRoles(),
}));

export const passwordInput = lazily(() => z.object({ password: z.string() }));

export const newUserInput = lazily(() => z.object({ ...fields(), password: z.string().nullish() }));

export const newInviteInput = lazily(() =>
  z.object({
    email: z.string(),
    metadata: jsonObject(),
    roles: listOfRoles(),
    redirectTo: z.string().nullish(),
  }),
);

export const userUpdateInput = lazily(() => z.object({ ...fields(), mergeMetadata: jsonObject() }));

export const blockFields = lazily(() =>
  z.object({
    reason: z.string().max(500).refine(isStorableText).nullish(),
    until: time().nullish(),
  }),
);
export const blockInput = lazily(() => blockFields().nullish());
