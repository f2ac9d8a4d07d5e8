/** The token with which a page of the application posts to a form of the account: the button that signs out. */
import type { Request } from 'express';
import type { Service } from '../engine/service.js';
import { internals } from '../core/internals.js';
import { checkService } from '../http/check-service.js';

/**
 * Returns the value of the field `form_token` for a form on your own page that posts to `/account/sign-out`. It belongs to the session of
 * the request, as the tokens of the account pages do. Null without a session: use it behind `requireSession` or `optionalSession`.
 * @throws ConfigError if the first argument is not a service.
 */
export function formToken(service: Service, req: Request): string | null {
  checkService(service, 'formToken');
  return req.svcAuth ? service[internals].formTokens.issueToken(req.svcAuth) : null;
}
