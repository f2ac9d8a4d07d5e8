/** The link “This wasn't me” of a notice (docs/decisions/notices.md): GET shows a page, and its button ends every session. */
import type { Request } from 'express';
import * as z from 'zod';
import type { Html } from '../../html/html.js';
import { internals } from '../../core/internals.js';
import type { RequestContext } from '../../core/sessions/request-context.js';
import { ProviderNotConfiguredError } from '../../errors/catalog.js';
import { lazily } from '../../runtime/load.js';
import { redirectEndpoint, type RedirectCall } from '../endpoint.js';
import { isConfirmed, proofOf } from '../link-confirmation.js';
import { notMePage } from '../not-me-page.js';
import { queryOf } from '../request-context.js';
import type { Service } from '../../engine/service.js';

const query = lazily(() => z.object({ token: z.string() }));

const requires = ({ service }: { service: Service }) => {
  if (!service[internals].notMeLinks.isEnabled)
    throw new ProviderNotConfiguredError('notices', 'Set the option notices, with the url of its link.');
};

export const showNotMe = redirectEndpoint({
  name: 'notices.showLink',
  access: 'open',
  summary: 'Shows the page of the link “This wasn’t me” of a notice. Changes nothing',
  query,
  redirects: 'back',
  page: 'a confirmation, or says that the link no longer works',
  requires,
  handle: (call) => open(call, null, null),
});

export const confirmNotMe = redirectEndpoint({
  name: 'notices.confirmLink',
  access: 'open',
  summary:
    'Ends every session, refresh family and trusted browser of the account when the user presses the button of the page that `GET /not-me` shows, and mails a password reset',
  query,
  redirects: 'back',
  page: 'the confirmation again, if its form is outdated or was not submitted by the user, and otherwise says what has happened',
  requires,
  async handle(call) {
    const { context, req, service } = call;
    const form = await call.readForm();
    const confirmed = isConfirmed(service, req, tokenOf(req), form);
    // The menu of languages shows the page again.
    const language = confirmed ? form.get('language') : null;
    return open(call, confirmed && language === null ? context : null, language);
  },
});

/** @param confirmed the context of the request if the user has pressed the button, else null. */
async function open(
  { req, res, service }: RedirectCall,
  confirmed: RequestContext | null,
  language: string | null,
): Promise<Html> {
  const token = tokenOf(req);
  const page = await service[internals].notMeLinks.open(token, confirmed);
  const proof = page.step === 'confirm' ? proofOf(service, req, res, token) : '';
  return notMePage(service, req, res, { page, proof, language });
}

/** Returns the `token` of the query, or an empty string if there is none or more than one. */
function tokenOf(req: Request): string {
  const [token = '', ...others] = queryOf(req).getAll('token');
  return others.length === 0 ? token : '';
}
