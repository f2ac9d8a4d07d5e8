/** Sign-in with a link that is mailed to the user, or with the code of the same mail. */
import type { Request } from 'express';
import * as z from 'zod';
import type { Html } from '../../html/html.js';
import { confirmLinkInput, sendLinkInput, verifyLinkCodeInput } from '../../providers/magic-link/options.js';
import { codeErrors, endpoint, redirectEndpoint, type RedirectCall } from '../endpoint.js';
import { nameOfLink, readLinkBrowser, rememberLinkBrowser } from '../link-browser.js';
import { confirmationPage, isConfirmed } from '../link-confirmation.js';
import { lazily } from '../../runtime/load.js';
import { rememberQuery } from '../remember.js';
import { queryOf } from '../request-context.js';
import { responses } from '../response-schemas.js';
import { redirectSignedIn, redirectUnfinished, startBrowserSession } from '../signed-in.js';

const query = lazily(() => z.object({ token: z.string(), ...rememberQuery() }));

export const sendMagicLink = endpoint({
  access: 'open',
  summary: 'Mails a sign-in link. The response is the same if the address may not sign up',
  body: () => sendLinkInput().pick({ email: true, challengeSolution: true, remember: true }),
  response: responses.linkSent,
  errors: ['rate_limit_exceeded', 'email_send_failed', 'challenge_required'],
  requires: ({ service }) => service.magicLink,
  async handle({ service, req, res, body, context }) {
    const sent = await service.magicLink.sendLink(body, context);
    rememberLinkBrowser(service, req, res, sent);
    const { expiresAt, codeExpiresAt, codeFormat } = sent;
    // Without the URL: only the owner of the mailbox may learn the link.
    return { expiresAt, codeExpiresAt, codeFormat };
  },
});

export const verifyMagicLink = redirectEndpoint({
  access: 'open',
  summary: 'Signs in with the token of a mailed link, then redirects',
  query,
  redirects: 'back',
  page: 'a confirmation, with `confirmElsewhere`, in another browser than the one that asked for the link',
  setsSession: true,
  handle: (call) => open(call, false),
});

export const confirmMagicLinkPage = redirectEndpoint({
  name: 'magicLink.confirmPage',
  access: 'open',
  summary: 'Signs in when the user presses the button of the page that `GET /magic-link/verify` shows',
  query,
  redirects: 'back',
  page: 'the confirmation again, if its form is outdated or was not submitted by the user',
  setsSession: true,
  requires: ({ service }) => service.magicLink.assertConfirmationEnabled(),
  async handle(call) {
    const form = await call.readForm();
    const confirmed = isConfirmed(call.service, call.req, tokenOf(call.req), form);
    // The menu of languages shows the page again.
    const language = confirmed ? form.get('language') : null;
    return open(call, confirmed && language === null, language);
  },
});

export const confirmMagicLink = endpoint({
  access: 'open',
  summary:
    'Signs in with the token of a mailed link that the user has confirmed on a page of the application',
  body: confirmLinkInput,
  response: responses.signIn,
  errors: ['code_expired', 'mfa_required', 'user_blocked', 'sign_up_disabled', 'fields_required'],
  setsSession: true,
  requires: ({ service }) => service.magicLink.assertConfirmationEnabled(),
  async handle({ service, req, res, body, context }) {
    const result = await service.magicLink.verify(body.token, context);
    return { ...startBrowserSession(service, req, res, result), created: result.created };
  },
});

export const verifyMagicLinkCode = endpoint({
  access: 'open',
  summary:
    'Signs in with the code of a mail that also contains a link. Creates the user if the address is new',
  body: verifyLinkCodeInput,
  response: responses.signIn,
  errors: [
    ...codeErrors,
    'rate_limit_exceeded',
    'mfa_required',
    'user_blocked',
    'sign_up_disabled',
    'fields_required',
  ],
  setsSession: true,
  requires: ({ service }) => service.magicLink.assertCodeEnabled(),
  async handle({ service, req, res, body, context }) {
    const result = await service.magicLink.verifyCode(body, context);
    return { ...startBrowserSession(service, req, res, result), created: result.created };
  },
});

/** Signs in, or returns the page that asks for a confirmation. */
async function open(
  call: RedirectCall,
  confirmed: boolean,
  language: string | null = null,
): Promise<string | Html> {
  const { service, req, res, context, redirects } = call;
  const token = tokenOf(req);
  const browserTokens = readLinkBrowser(service, req);
  const origin = { link: nameOfLink(token) };
  try {
    const { signedIn, unconfirmed } = await service.magicLink.openLink(
      { token, browserTokens, confirmed },
      context,
    );
    if (unconfirmed) return confirmationPage(service, req, res, token, unconfirmed, { redirects, language });
    return redirectSignedIn(call, signedIn, origin);
  } catch (error) {
    return redirectUnfinished(call, error, origin);
  }
}

/** Returns the `token` of the query, or an empty string if there is none or more than one. */
function tokenOf(req: Request): string {
  const [token = '', ...others] = queryOf(req).getAll('token');
  return others.length === 0 ? token : '';
}
