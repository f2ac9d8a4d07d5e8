/** POST /guest */
import type { Request, Response } from 'express';
import { toServiceUser, type ServiceUser } from '../../../domain/user.js';
import { isServiceError } from '../../../errors/service-error.js';
import { internals } from '../../../kit/internals.js';
import { endpoint, type Endpoint } from '../../endpoint.js';
import type { EndpointTools } from '../../endpoint-tools.js';
import { authenticateAnyUser } from '../../authenticate.js';
import { deviceOf } from '../../route.js';
import { setSessionCookie } from '../../session-cookie.js';

export function guestEndpoints({ service, answers }: EndpointTools): Endpoint[] {
  async function signedIn(req: Request, res: Response): Promise<ServiceUser | null> {
    try {
      return toServiceUser((await authenticateAnyUser(service, req, res)).live.user);
    } catch (error) {
      if (isServiceError(error) && error.code === 'token_invalid') return null;
      throw error;
    }
  }

  return [
    endpoint({
      method: 'post',
      path: '/guest',
      access: 'open',
      summary: 'Makes you a guest, unless you are signed in: then nothing changes',
      answer: answers.signIn,
      errors: ['rate_limit_exceeded'],
      setsSession: true,
      async handle({ req, res, context }) {
        const { sessionsProvider } = service;
        const user = await signedIn(req, res);
        if (user) return { user, created: false };
        const device = deviceOf(context);
        const { user: guest, ...issued } = await sessionsProvider.createGuest({ device }, context);
        // A sign-in that waits for its second factor goes on waiting: it will take the place of this session.
        setSessionCookie(service[internals], req, res, issued);
        return { user: guest, created: true };
      },
    }),
  ];
}
