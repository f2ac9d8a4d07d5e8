/** The caller's passkeys, their registration, and sign-in with a passkey. */
import type { RegistrationResponse } from '../../../domain/passkey-json.js';
import { internals } from '../../../core/internals.js';
import { keepChallenge, takeChallenge } from '../../challenge-cookie.js';
import { endpoint, type Target } from '../../endpoint.js';
import { pageOf, pageQuery } from '../../page-query.js';
import { responses } from '../../response-schemas.js';
import { startBrowserSession } from '../../signed-in.js';
import { registrationStart, renameInput } from '../../../providers/webauthn/options.js';
import { ceremonyResponse, newPasskeyResponse } from './passkey-ceremony.js';

const requires = ({ service }: Target) => service.webauthn;
/** Works without a valid license too: users who have a passkey must be able to sign in. */
const requiresExisting = ({ service }: Target) => service[internals].existing.webauthn();

export const listPasskeys = endpoint({
  access: 'session',
  summary: 'Lists your passkeys, oldest first',
  query: pageQuery,
  response: responses.passkeys,
  errors: ['invalid_request'],
  requires,
  async handle({ service, req, me, context }) {
    const page = pageOf(req);
    const { credentials, nextCursor } = await service.webauthn.listCredentials(me.id, page, context);
    return { passkeys: credentials, nextCursor };
  },
});

export const getPasskeySignals = endpoint({
  name: 'passkeys.signals',
  access: 'no-impersonation',
  summary:
    'Returns what `PublicKeyCredential.signalAllAcceptedCredentials` and `signalCurrentUserDetails` take',
  response: responses.passkeySignals,
  requires,
  handle: async ({ service, me, context }) => service.webauthn.signals(me.id, context),
});

export const renamePasskey = endpoint({
  access: 'no-impersonation',
  summary: "Sets the name of one of your passkeys. Null restores the name of the authenticator's model",
  body: () => renameInput().pick({ name: true }),
  response: responses.passkey,
  requires,
  async handle({ service, me, body, context, param }) {
    const input = { userId: me.id, credentialId: param('id'), name: body.name };
    const { credential } = await service.webauthn.renameCredential(input, context);
    return { passkey: credential };
  },
});

export const removePasskey = endpoint({
  access: 'recent',
  summary: 'Removes one of your passkeys. Refuses to remove your last sign-in method',
  response: responses.ok,
  requires,
  async handle({ service, me, context, param }) {
    await service.webauthn.removeCredential(me.id, param('id'), context);
    return { ok: true };
  },
});

export const startRegistration = endpoint({
  name: 'passkeys.registerStart',
  access: 'recent',
  summary: 'Starts the registration of a passkey. Returns options for `navigator.credentials.create`',
  body: () => registrationStart().optional(),
  response: responses.ceremony,
  errors: ['rate_limit_exceeded'],
  requires,
  async handle({ service, req, res, me, body, context }) {
    const { options, challenge } = await service.webauthn.startRegistration(me.id, context, body);
    keepChallenge(service, req, res, challenge);
    return { options };
  },
});

export const finishRegistration = endpoint({
  name: 'passkeys.registerFinish',
  access: 'recent',
  summary: 'Registers the passkey that the browser returned',
  body: newPasskeyResponse,
  response: responses.passkey,
  requires,
  async handle({ service, req, res, me, body, context }) {
    const { webauthn } = service;
    const expectedChallenge = takeChallenge(service, req, res, body.response);
    const response = body.response as unknown as RegistrationResponse;
    const input = {
      userId: me.id,
      response,
      expectedChallenge,
      ...(body.name !== undefined && { name: body.name }),
    };
    const { credential } = await webauthn.finishRegistration(input, context);
    return { passkey: credential };
  },
});

export const startAuthentication = endpoint({
  name: 'passkeys.authenticateStart',
  access: 'open',
  summary: 'Starts a sign-in with a passkey. Returns options for `navigator.credentials.get`',
  requires: requiresExisting,
  response: responses.ceremony,
  errors: ['rate_limit_exceeded'],
  async handle({ service, req, res, context }) {
    const webauthn = service[internals].existing.webauthn();
    // Without a user: the response reveals nothing about any account.
    const { options, challenge } = await webauthn.startAuthentication(undefined, context);
    keepChallenge(service, req, res, challenge);
    return { options };
  },
});

export const startAutofill = endpoint({
  name: 'passkeys.autofillStart',
  access: 'open',
  summary:
    'Starts a sign-in with a passkey among the suggestions of a form. As `/passkeys/authenticate/start`, with a limit for every visit of a page',
  requires: requiresExisting,
  response: responses.ceremony,
  errors: ['rate_limit_exceeded'],
  async handle({ service, req, res, context }) {
    const { options, challenge } = await service[internals].existing.webauthn().startAutofill(context);
    keepChallenge(service, req, res, challenge);
    return { options };
  },
});

export const finishAuthentication = endpoint({
  name: 'passkeys.authenticateFinish',
  access: 'open',
  summary: 'Signs in with the credential that the browser returned',
  requires: requiresExisting,
  body: ceremonyResponse,
  response: responses.user,
  errors: ['token_invalid', 'mfa_required', 'user_blocked'],
  setsSession: true,
  async handle({ service, req, res, body, context }) {
    const webauthn = service[internals].existing.webauthn();
    const expectedChallenge = takeChallenge(service, req, res, body.response);
    const input = { response: body.response as never, expectedChallenge };
    const result = await webauthn.finishAuthentication(input, context);
    return startBrowserSession(service, req, res, result);
  },
});
