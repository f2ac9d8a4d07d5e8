/** `cursor` and `limit` of the routes that list. What they may be is for the provider to judge. */
import type { Request } from 'express';
import { InvalidRequestError } from '../errors/catalog.js';
import type { PageRequest } from '../kit/pages.js';
import type { Zod } from '../runtime/load.js';
import { queryOf } from './route.js';

/** The query of these routes, for the OpenAPI document. */
export const pageQuery = (z: Zod) =>
  z.object({ cursor: z.string().optional(), limit: z.int().min(1).max(200).default(100).optional() });

/** Reads the page that a request asks for. @throws InvalidRequestError if a parameter is given twice. */
export function pageOf(req: Request): PageRequest {
  const query = queryOf(req);
  const only = (name: string): string | undefined => {
    const [value, ...others] = query.getAll(name);
    if (others.length > 0) throw new InvalidRequestError(`${name} must be given once.`, { field: name });
    return value;
  };
  const [cursor, limit] = [only('cursor'), only('limit')];
  return {
    ...(cursor !== undefined && { cursor }),
    // What is not plain digits is no number, and no number is refused.
    ...(limit !== undefined && { limit: /^\d{1,9}$/.test(limit) ? Number(limit) : Number.NaN }),
  };
}
