/** Sign-up and sign-in with a password, and its reset by a mailed link or code. */
import {
  finishSignUpInput,
  loginInput,
  requestResetInput,
  resendSignUpInput,
  setPasswordInput,
  signupInput,
  verifyEmailInput,
} from '../../providers/email-password/options.js';
import { codeErrors, endpoint, type Target } from '../endpoint.js';
import { responses } from '../response-schemas.js';
import { clearSignUp, keepSignUp, readSignUp } from '../sign-up-cookie.js';
import { startBrowserSession } from '../signed-in.js';

const requires = ({ service }: Target) => service.emailPassword;
const requiresVerification = ({ service }: Target) => service.emailPassword.assertVerificationEnabled();

export const signup = endpoint({
  access: 'open',
  summary:
    'Creates an account with a password and signs in. With `signUp.revealExisting: false`, mails a code instead, and the response is the same for every address',
  body: () => signupInput().omit({ metadata: true }),
  response: responses.signUp,
  errors: [
    'weak_password',
    'email_exists',
    'rate_limit_exceeded',
    'reauth_required',
    'sign_up_disabled',
    'challenge_required',
    'email_send_failed',
  ],
  setsSession: true,
  // A sign-up with a session sets the first password of its user.
  usesSession: true,
  requires,
  async handle({ service, req, res, body, context }) {
    const result = await service.emailPassword.startSignUp(body, context);
    if ('token' in result) return keepSignUp(service, req, res, result);
    return startBrowserSession(service, req, res, result);
  },
});

export const resendSignUp = endpoint({
  name: 'password.resendSignup',
  access: 'open',
  summary:
    'Mails another code for a sign-up, in the browser that signed up. `token` is that of a client without cookies',
  body: () => resendSignUpInput().partial({ token: true }).optional(),
  response: responses.codeSent,
  errors: ['token_invalid', 'code_not_found', 'rate_limit_exceeded', 'email_send_failed'],
  requires,
  async handle({ service, req, body, context }) {
    const token = readSignUp(service, req, body?.token);
    return service.emailPassword.resendSignUp({ token }, context);
  },
});

export const finishSignUp = endpoint({
  name: 'password.finishSignup',
  access: 'open',
  summary:
    'Completes a sign-up with the mailed code, in the browser that signed up. Signs in to the account of the address if it has one. `token` is that of a client without cookies',
  body: () => finishSignUpInput().partial({ token: true }),
  response: responses.signIn,
  errors: [
    ...codeErrors,
    'token_invalid',
    'rate_limit_exceeded',
    'mfa_required',
    'user_blocked',
    'sign_up_disabled',
  ],
  setsSession: true,
  // Also without the option: sign-ups that wait for their code can still be completed.
  requires,
  async handle({ service, req, res, body, context }) {
    const token = readSignUp(service, req, body.token);
    const result = await service.emailPassword.finishSignUp({ ...body, token }, context);
    clearSignUp(service, req, res);
    return { ...startBrowserSession(service, req, res, result), created: result.created };
  },
});

export const login = endpoint({
  access: 'open',
  summary: 'Signs in with a password',
  body: loginInput,
  response: responses.user,
  errors: [...codeErrors, 'invalid_credentials', 'rate_limit_exceeded', 'mfa_required', 'user_blocked'],
  setsSession: true,
  requires,
  async handle({ service, req, res, body, context }) {
    const result = await service.emailPassword.login(body, context);
    return startBrowserSession(service, req, res, result);
  },
});

export const requestReset = endpoint({
  access: 'open',
  summary:
    'Mails a link or a code to choose a new password if the account exists. The response is the same if it does not',
  body: () => requestResetInput().pick({ email: true }),
  response: responses.resetRequested,
  requires,
  handle: async ({ service, body, context }) => service.emailPassword.requestReset(body, context),
});

export const resetPassword = endpoint({
  access: 'open',
  summary:
    'Sets a new password with the token of a mailed link, or with an address and the code mailed to it. Ends every session and does not start one. With `revokeCredentials`, also revokes passkeys and API keys',
  body: setPasswordInput,
  response: responses.user,
  errors: ['weak_password', 'token_invalid', ...codeErrors, 'rate_limit_exceeded', 'user_blocked'],
  requires,
  // Sets no cookie: the link or the code proves control of the mailbox, but not of the second factor.
  handle: async ({ service, body, context }) => service.emailPassword.setPassword(body, context),
});

export const sendAddressCode = endpoint({
  name: 'password.sendVerification',
  access: 'session',
  summary:
    'Mails you a code to verify your address. If it is verified already, sends nothing and `expiresAt` is null',
  response: responses.sentIfNeeded,
  errors: ['invalid_request', 'rate_limit_exceeded', 'email_send_failed'],
  requires: requiresVerification,
  handle: async ({ service, me, context }) => service.emailPassword.sendVerification(me.id, context),
});

export const verifyAddress = endpoint({
  access: 'no-impersonation',
  summary: 'Verifies your address with the mailed code',
  body: () => verifyEmailInput().omit({ userId: true }),
  response: responses.user,
  errors: [...codeErrors, 'rate_limit_exceeded'],
  requires: requiresVerification,
  handle: async ({ service, me, body, context }) =>
    service.emailPassword.verifyEmail({ ...body, userId: me.id }, context),
});
