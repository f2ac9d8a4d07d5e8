/** New accounts with a passkey alone. */
import { sendSignUpCodeInput, startSignUpInput } from '../../../providers/webauthn/options.js';
import { keepChallenge, takeChallenge } from '../../challenge-cookie.js';
import { codeErrors, endpoint, type Target } from '../../endpoint.js';
import { responses } from '../../response-schemas.js';
import { startBrowserSession } from '../../signed-in.js';
import { newPasskeyResponse } from './passkey-ceremony.js';

const requires = ({ service }: Target) => service.webauthn.assertSignUpEnabled();

export const sendSignUpCode = endpoint({
  name: 'passkeys.signupSend',
  access: 'open',
  summary:
    'Mails a code that proves the address of a new account. The response is the same if the address has an account',
  body: sendSignUpCodeInput,
  response: responses.codeSent,
  errors: ['rate_limit_exceeded', 'email_send_failed', 'sign_up_disabled', 'challenge_required'],
  requires,
  handle: async ({ service, body, context }) => service.webauthn.sendSignUpCode(body, context),
});

export const startSignUp = endpoint({
  name: 'passkeys.signupStart',
  access: 'open',
  summary:
    'Starts a sign-up with a passkey, after the mailed code if the service requires it. Returns options for `navigator.credentials.create`',
  body: () => startSignUpInput().omit({ metadata: true }),
  response: responses.ceremony,
  errors: [
    'rate_limit_exceeded',
    'sign_up_disabled',
    'email_exists',
    'challenge_required',
    'reauth_required',
    ...codeErrors,
  ],
  requires,
  async handle({ service, req, res, body, context }) {
    const { options, challenge } = await service.webauthn.startSignUp(body, context);
    keepChallenge(service, req, res, challenge);
    return { options };
  },
});

export const finishSignUp = endpoint({
  name: 'passkeys.signupFinish',
  access: 'open',
  summary: 'Creates the account with the passkey that the browser returned, and signs in',
  body: newPasskeyResponse,
  response: responses.signIn,
  errors: ['token_invalid', 'sign_up_disabled', 'email_exists', 'user_blocked', 'reauth_required'],
  setsSession: true,
  requires,
  async handle({ service, req, res, body, context }) {
    const expectedChallenge = takeChallenge(service, req, res, body.response);
    const input = {
      response: body.response as never,
      expectedChallenge,
      ...(body.name !== undefined && { name: body.name }),
    };
    const result = await service.webauthn.finishSignUp(input, context);
    return { ...startBrowserSession(service, req, res, result), created: result.created };
  },
});
