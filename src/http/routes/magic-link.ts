/** Sign-in with a link that is mailed to the user. */
import type { Request } from 'express';
import * as z from 'zod';
import { sendLinkInput } from '../../providers/magic-link.js';
import { endpoint, redirectEndpoint } from '../endpoint.js';
import { queryOf } from '../request-context.js';
import { responses } from '../response-schemas.js';
import { startBrowserSession } from '../signed-in.js';

export const sendMagicLink = endpoint({
  access: 'open',
  summary: 'Mails a sign-in link. The response is the same if the address may not sign up',
  body: () => sendLinkInput().pick({ email: true }),
  response: responses.sent,
  errors: ['rate_limit_exceeded', 'email_send_failed'],
  requires: ({ service }) => service.magicLink,
  async handle({ service, body, context }) {
    const { expiresAt } = await service.magicLink.sendLink(body, context);
    // Without the URL: only the owner of the mailbox may learn the link.
    return { expiresAt };
  },
});

export const verifyMagicLink = redirectEndpoint({
  access: 'open',
  summary: 'Signs in with the token of a mailed link, then redirects',
  query: () => z.object({ token: z.string() }),
  redirects: 'back',
  setsSession: true,
  async handle({ service, req, res, context, redirects }) {
    const result = await service.magicLink.verify(tokenOf(req), context);
    startBrowserSession(service, req, res, result);
    return redirects.success();
  },
});

/** Returns the `token` of the query, or an empty string if there is none or more than one. */
function tokenOf(req: Request): string {
  const [token = '', ...others] = queryOf(req).getAll('token');
  return others.length === 0 ? token : '';
}
