/** The link “This wasn't me” of a notice (docs/decisions/notices.md): GET shows a page, and its button ends every session. */
import type { Request } from 'express';
import * as z from 'zod';
import type { Html } from '../../html/html.js';
import { internals, type NotMePage } from '../../core/internals.js';
import { ProviderNotConfiguredError } from '../../errors/catalog.js';
import { lazily } from '../../runtime/load.js';
import { redirectEndpoint, type RedirectCall } from '../endpoint.js';
import { isConfirmed, proofOf } from '../link-confirmation.js';
import { plainNotMePage } from '../plain-not-me-page.js';
import { queryOf } from '../request-context.js';
import type { Service } from '../../engine/service.js';

const query = lazily(() => z.object({ token: z.string() }));

const requires = ({ service }: { service: Service }) => {
  if (!service[internals].notMeLinks.isEnabled) throw new ProviderNotConfiguredError('notices');
};

export const showNotMe = redirectEndpoint({
  name: 'notices.showLink',
  access: 'open',
  summary: 'Shows the page of the link “This wasn’t me” of a notice. Changes nothing',
  query,
  redirects: 'back',
  page: 'a confirmation, or that the link no longer works',
  requires,
  handle: (call) => ask(call, null),
});

export const confirmNotMe = redirectEndpoint({
  name: 'notices.confirmLink',
  access: 'open',
  summary:
    'Ends every session, refresh family and trusted browser of the account when the user presses the button of the page that `GET /not-me` shows, and mails a password reset',
  query,
  redirects: 'back',
  page: 'what has happened, or the confirmation again, if its form is outdated or was not submitted by the user',
  requires,
  async handle(call) {
    const { context, req, service } = call;
    const form = await call.readForm();
    const token = tokenOf(req);
    if (!isConfirmed(service, req, token, form)) return ask(call, null);
    // The menu of languages shows the page again.
    const language = form.get('language');
    if (language !== null) return ask(call, language);
    const used = await service[internals].notMeLinks.use(token, context);
    return show(call, used ? { step: 'done', ...used } : { step: 'ended' }, null);
  },
});

async function ask(call: RedirectCall, language: string | null): Promise<Html> {
  const { req, res, service } = call;
  const token = tokenOf(req);
  const link = await service[internals].notMeLinks.read(token);
  if (!link) return show(call, { step: 'ended' }, language);
  return show(call, { step: 'confirm', ...link, proof: proofOf(service, req, res, token) }, language);
}

function show({ req, res, service }: RedirectCall, page: NotMePage, language: string | null): Promise<Html> {
  const { notMe } = service[internals].pageTargets;
  return notMe ? notMe(req, res, page, language) : plainNotMePage(service, req, res, page);
}

/** Returns the `token` of the query, or an empty string if there is none or more than one. */
function tokenOf(req: Request): string {
  const [token = '', ...others] = queryOf(req).getAll('token');
  return others.length === 0 ? token : '';
}
