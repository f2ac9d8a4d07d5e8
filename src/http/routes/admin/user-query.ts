/** The conditions of lists of users as query parameters. */
import type { Request } from 'express';
import * as z from 'zod';
import { parseInput } from '../../../core/support/input.js';
import { filterFields, orderFields } from '../../../providers/users/inputs.js';
import { pageOf, pageQuery } from '../../page-query.js';
import { queryParametersOf } from '../../request-context.js';
import { lazily } from '../../../runtime/load.js';

const flag = lazily(() => z.enum(['true', 'false']).transform((value) => value === 'true'));

/** An ISO 8601 time with a time zone, in a query or in a body. */
export const timeField = lazily(() => z.iso.datetime({ offset: true }).transform((time) => new Date(time)));

/** The provider validates the values again. */
export const userFilter = lazily(() => {
  const { search, within, role } = filterFields().shape;
  return z.object({
    search: search.unwrap().unwrap().optional(),
    within: within.unwrap().unwrap().optional(),
    role: role.unwrap().unwrap().optional(),
    externalId: z.string().optional(),
    blocked: flag().optional(),
    verified: flag().optional(),
    guest: flag().optional(),
    createdAfter: timeField().optional(),
    createdBefore: timeField().optional(),
  });
});

const conditions = lazily(() => {
  const { sort } = orderFields().shape;
  return userFilter().extend({ sort: sort.unwrap().unwrap().optional() });
});

/** For the OpenAPI document. */
export const listQuery = lazily(() => z.object({ ...conditions().shape, ...pageQuery().shape }));

/** @throws InvalidRequestError if a parameter is malformed or repeated. */
export function userFilterOf(req: Request) {
  return parseQuery(req, userFilter);
}

/** @throws InvalidRequestError if a parameter is malformed or repeated. */
export function listQueryOf(req: Request) {
  return { ...parseQuery(req, conditions), ...pageOf(req) };
}

function parseQuery<Query>(req: Request, schema: () => z.ZodObject & z.ZodType<Query>): Query {
  return parseInput<Query>(schema, queryParametersOf(req, Object.keys(schema().shape)));
}
