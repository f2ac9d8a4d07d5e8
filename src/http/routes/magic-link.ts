/** POST /magic-link/send, GET and HEAD /magic-link/verify */
import type { Request, RequestHandler } from 'express';
import { internals } from '../../kit/internals.js';
import { endpoint, type Endpoint, type RouteDescription } from '../endpoint.js';
import type { EndpointTools } from '../endpoint-tools.js';
import { toServiceError } from '../error-handler.js';
import { redirect } from '../redirects.js';
import { get, isPrefetch, queryOf, signInContext } from '../route.js';
import type { RouteTools } from '../route-tools.js';
import { giveSession } from '../signed-in.js';

export function magicLinkEndpoints({ service, z, answers }: EndpointTools): Endpoint[] {
  return [
    endpoint({
      method: 'post',
      path: '/magic-link/send',
      access: 'open',
      summary: 'Mails a link that signs in',
      body: z.object({ email: z.string() }),
      answer: answers.sent,
      errors: ['rate_limit_exceeded', 'email_send_failed'],
      needs: () => service.magicLink,
      async handle({ body, context }) {
        const { expiresAt } = await service.magicLink.sendLink(body, context);
        // The link is for the mailbox alone.
        return { expiresAt };
      },
    }),
  ];
}

export function describeMagicLink({ z }: EndpointTools): RouteDescription[] {
  return [
    {
      method: 'get',
      path: '/magic-link/verify',
      access: 'open',
      summary: 'Where the mailed link leads: signs in',
      query: z.object({ token: z.string() }),
      redirects: 'back',
      setsSession: true,
    },
  ];
}

export function verifyMagicLink({ service, redirects }: RouteTools): RequestHandler {
  return get(async (req, res) => {
    if (isPrefetch(req)) return void res.status(204).end();
    try {
      const result = await service.magicLink.verify(onlyToken(req), signInContext(service, req));
      giveSession(service, req, res, result);
      redirect(res, redirects.success());
    } catch (error) {
      redirect(res, redirects.failure(toServiceError(error, req, service[internals].logger)));
    }
  });
}

/** Mail scanners look at links before people do, with HEAD; Express would run the GET handler for it. */
export function preview(): RequestHandler {
  return get(async (_req, res) => void res.status(200).end());
}

/** The one `token` of the query; of two neither is meant. Read from the URL, whatever query parser the application has. */
function onlyToken(req: Request): string {
  const [token = '', ...others] = queryOf(req).getAll('token');
  return others.length === 0 ? token : '';
}
