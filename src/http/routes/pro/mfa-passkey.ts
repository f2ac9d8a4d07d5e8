/** A passkey as the second step of a sign-in. */
import { internals } from '../../../core/internals.js';
import { keepChallenge, takeChallenge } from '../../challenge-cookie.js';
import { endpoint, type Target } from '../../endpoint.js';
import { responses } from '../../response-schemas.js';
import { startBrowserSession } from '../../signed-in.js';
import { pendingToken, trustBrowser } from './mfa.js';
import { ceremonyResponse } from './passkey-ceremony.js';

// Works without a valid license too, as the other second steps.
const requires = ({ service }: Target) => service[internals].existing.webauthn();

export const startSecondFactorPasskey = endpoint({
  access: 'open',
  summary:
    'Starts the second step with one of your passkeys. Returns options for `navigator.credentials.get`',
  response: responses.ceremony,
  errors: ['token_invalid', 'rate_limit_exceeded'],
  requires,
  async handle({ service, req, res, context }) {
    const webauthn = service[internals].existing.webauthn();
    const input = { token: pendingToken({ service, req }) };
    const { options, challenge } = await webauthn.startSecondFactor(input, context);
    keepChallenge(service, req, res, challenge);
    return { options };
  },
});

export const finishSecondFactorPasskey = endpoint({
  access: 'open',
  summary:
    'Completes a sign-in that returned `mfa_required`, with the passkey credential that the browser returned',
  body: () => ceremonyResponse().extend({ trustBrowser: trustBrowser() }),
  response: responses.user,
  errors: ['token_invalid', 'user_blocked'],
  setsSession: true,
  requires,
  async handle({ service, req, res, body, context }) {
    const webauthn = service[internals].existing.webauthn();
    const token = pendingToken({ service, req });
    const expectedChallenge = takeChallenge(service, req, res, body.response);
    const input = { token, response: body.response as never, expectedChallenge };
    const result = await webauthn.finishSecondFactor(input, { ...context, trustBrowser: body.trustBrowser });
    return startBrowserSession(service, req, res, result);
  },
});
