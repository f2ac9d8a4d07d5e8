/** The caller's choices for the second step of a sign-in, and the caller's trusted browsers. */
import { preferredInput } from '../../../providers/second-factor/inputs.js';
import { endpoint, type Target } from '../../endpoint.js';
import { responses } from '../../response-schemas.js';
import { continueSession } from '../../signed-in.js';

const requires = ({ service }: Target) => service.totp && service.secondFactor;

export const getSecondFactor = endpoint({
  name: 'secondFactor.state',
  access: 'session',
  summary: 'Returns whether your sign-ins require a second factor, and with which methods',
  response: responses.secondFactor,
  requires,
  handle: async ({ service, me, context }) => service.secondFactor.state(me.id, context),
});

export const preferMethod = endpoint({
  name: 'secondFactor.prefer',
  access: 'no-impersonation',
  summary: 'Chooses the method of the second step that is offered first; null for none',
  body: () => preferredInput().omit({ userId: true }),
  response: responses.ok,
  errors: ['code_not_found'],
  requires,
  async handle({ service, me, body, context }) {
    await service.secondFactor.setPreferred({ userId: me.id, method: body.method }, context);
    return { ok: true };
  },
});

export const enableEmailFactor = endpoint({
  name: 'secondFactor.enableEmail',
  access: 'recent',
  summary: 'Lets you complete sign-ins with a code by email. Ends every other session',
  response: responses.ok,
  errors: ['code_not_found', 'email_unverified'],
  setsSession: true,
  requires,
  async handle({ service, req, res, me, context }) {
    const { session } = await service.secondFactor.enableEmail(me.id, context);
    continueSession(service, req, res, { user: me, session });
    return { ok: true };
  },
});

export const disableEmailFactor = endpoint({
  name: 'secondFactor.disableEmail',
  access: 'recent',
  summary: 'Ends codes by email as a second factor. Ends every other session',
  response: responses.ok,
  errors: ['code_not_found'],
  setsSession: true,
  requires,
  async handle({ service, req, res, me, context }) {
    const { session } = await service.secondFactor.disableEmail(me.id, context);
    continueSession(service, req, res, { user: me, session });
    return { ok: true };
  },
});

export const listTrustedBrowsers = endpoint({
  access: 'session',
  summary: 'Lists the browsers in which your sign-ins need no second factor, newest first',
  response: responses.trustedBrowsers,
  requires,
  handle: async ({ service, me, context }) => ({
    trustedBrowsers: await service.secondFactor.listTrustedBrowsers(me.id, context),
  }),
});

export const revokeTrustedBrowser = endpoint({
  name: 'trustedBrowsers.revoke',
  access: 'session',
  summary: 'Ends the trust in one of your browsers. Ignores one that is unknown, or not trusted any more',
  response: responses.ok,
  requires,
  async handle({ service, me, param }) {
    await service.secondFactor.revokeTrustedBrowser(me.id, param('id'));
    return { ok: true };
  },
});

export const revokeTrustedBrowsers = endpoint({
  access: 'session',
  summary: 'Ends the trust in all of your browsers',
  response: responses.ok,
  requires,
  async handle({ service, me }) {
    await service.secondFactor.revokeTrustedBrowsers(me.id);
    return { ok: true };
  },
});
