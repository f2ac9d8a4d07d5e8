/** What handlers take from a request that the guard has checked. */
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { PublicApiKey } from '../domain/api-key.js';
import type { ServiceUser } from '../domain/user.js';
import { callOf } from './request-of.js';

const user = createParamDecorator((property: keyof ServiceUser | undefined, context: ExecutionContext) => {
  const found: ServiceUser | undefined = callOf(context).req.user;
  return property === undefined ? found : found?.[property];
});

const apiKey = createParamDecorator((property: keyof PublicApiKey | undefined, context: ExecutionContext) => {
  const { apiKey: found } = callOf(context).req;
  return property === undefined ? found : found?.[property];
});

/**
 * The signed-in user, or one of its properties: `@CurrentUser() user: ServiceUser`,
 * `@CurrentUser('id') userId: string`. Undefined in a public handler without a session.
 */
export function CurrentUser(property?: keyof ServiceUser): ParameterDecorator {
  return user(property);
}

/** The API key of a handler with `@ApiKeys()`, or one of its properties. */
export function CurrentApiKey(property?: keyof PublicApiKey): ParameterDecorator {
  return apiKey(property);
}
