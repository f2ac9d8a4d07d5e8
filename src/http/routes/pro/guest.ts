/** Guests: users without an email address. */
import type { Request, Response } from 'express';
import { toServiceUser, type ServiceUser } from '../../../domain/user.js';
import type { Service } from '../../../engine/service.js';
import { isServiceError } from '../../../errors/service-error.js';
import { internals } from '../../../core/internals.js';
import { authenticateAnyUser } from '../../authenticate.js';
import { newGuest, type GuestSignIn } from '../../../providers/sessions/inputs.js';
import { endpoint } from '../../endpoint.js';
import { deviceOf } from '../../request-context.js';
import { responses } from '../../response-schemas.js';
import { startSessionCookie } from '../../start-session-cookie.js';

export const createGuest = endpoint({
  access: 'open',
  summary: 'Creates a guest and signs in. Changes nothing if you are signed in already',
  // Optional: a page that needs a user sends nothing, until it is asked for a solution.
  body: () => newGuest().pick({ challengeSolution: true }).optional(),
  response: responses.signIn,
  errors: ['rate_limit_exceeded', 'sign_up_disabled', 'challenge_required'],
  setsSession: true,
  requires: ({ service }) => service.sessionsProvider,
  async handle({ service, req, res, body, context }) {
    const { sessionsProvider } = service;
    const user = await signedInUser(service, req, res);
    if (user) return { user, created: false };
    const device = deviceOf(context);
    const created: GuestSignIn = await sessionsProvider.createGuest({ ...body, device }, context);
    const { user: guest, token, session: started, bearer } = created;
    // A sign-in that waits for its second factor can still be completed; it replaces this session.
    if (token !== undefined && started)
      startSessionCookie(service[internals], req, res, { token, session: started });
    return { user: guest, created: true, ...(bearer && { bearer }) };
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
