/**
 * The choice of a sign-in whether the browser keeps the session when it closes: `remember: false` in
 * the body, or `?remember=false` where the browser navigates.
 */
import type { Request } from 'express';
import * as z from 'zod';
import { lazily } from '../runtime/load.js';
import { queryOf } from './request-context.js';

export const rememberChoice = lazily(() => ({
  remember: z
    .boolean()
    .optional()
    .meta({ description: 'If false, the browser forgets the session when it closes. Default true.' }),
}));

/** The parameter of a navigation. */
export const rememberQuery = lazily(() => ({ remember: z.enum(['true', 'false']).optional() }));

/** Returns the schema of a body that can also contain the choice. */
export function withRemember(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodOptional) return withRemember(schema.unwrap() as z.ZodType).optional();
  if (schema instanceof z.ZodObject) return schema.safeExtend(rememberChoice());
  const options = schema instanceof z.ZodUnion ? (schema.options as readonly z.ZodType[]) : [];
  return options.length > 0 ? z.union(options.map(withRemember)) : schema;
}

/** Separates the choice, for the context of the sign-in, from the input of the method in a body that `withRemember` has parsed. */
export function takeRemember<Body>(body: Body): { body: Body; choice: { remember?: boolean } } {
  if (typeof body !== 'object' || body === null) return { body, choice: {} };
  const { remember, ...input } = body as Body & { remember?: unknown };
  return { body: input as Body, choice: typeof remember === 'boolean' ? { remember } : {} };
}

/** Returns the choice of a navigation. */
export function rememberOfQuery(req: Request): { remember?: boolean } {
  return queryOf(req).get('remember') === 'false' ? { remember: false } : {};
}
