/** Guests: users without an email address. */
import type { Request, Response } from 'express';
import { toServiceUser, type ServiceUser } from '../../../domain/user.js';
import type { Service } from '../../../engine/service.js';
import { isServiceError } from '../../../errors/service-error.js';
import { internals } from '../../../core/support/internals.js';
import { authenticateAnyUser } from '../../authenticate.js';
import { endpoint } from '../../endpoint.js';
import { deviceOf } from '../../request-context.js';
import { responses } from '../../response-schemas.js';
import { setSessionCookie } from '../../session-cookie.js';

export const createGuest = endpoint({
  access: 'open',
  summary: 'Creates a guest and signs in. Changes nothing if you are signed in already',
  response: responses.signIn,
  errors: ['rate_limit_exceeded', 'sign_up_disabled'],
  setsSession: true,
  requires: ({ service }) => service.sessionsProvider,
  async handle({ service, req, res, context }) {
    const { sessionsProvider } = service;
    const user = await signedInUser(service, req, res);
    if (user) return { user, created: false };
    const device = deviceOf(context);
    const { user: guest, ...issued } = await sessionsProvider.createGuest({ device }, context);
    // A sign-in that waits for its second factor can still be completed; it replaces this session.
    setSessionCookie(service[internals], req, res, issued);
    return { user: guest, created: true };
  },
});

async function signedInUser(service: Service, req: Request, res: Response): Promise<ServiceUser | null> {
  try {
    return toServiceUser((await authenticateAnyUser(service, req, res)).session.user);
  } catch (error) {
    if (isServiceError(error) && error.code === 'token_invalid') return null;
    throw error;
  }
}
