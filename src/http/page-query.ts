/**
 * The query parameters `cursor` and `limit` of the routes that list. The provider validates their
 * values.
 */
import type { Request } from 'express';
import * as z from 'zod';
import type { PageRequest } from '../core/support/pages.js';
import { queryParametersOf } from './request-context.js';
import { lazily } from '../runtime/load.js';

/** For the OpenAPI document. */
export const pageQuery = lazily(() =>
  z.object({
    cursor: z.string().optional(),
    limit: z.int().min(1).max(200).default(100).optional(),
  }),
);

/**
 * Returns the page that a request asks for.
 * @throws InvalidRequestError if a parameter is repeated.
 */
export function pageOf(req: Request): PageRequest {
  const { cursor, limit } = queryParametersOf(req, ['cursor', 'limit']);
  return {
    ...(cursor !== undefined && { cursor }),
    // The provider refuses NaN.
    ...(limit !== undefined && { limit: /^\d{1,9}$/.test(limit) ? Number(limit) : Number.NaN }),
  };
}
