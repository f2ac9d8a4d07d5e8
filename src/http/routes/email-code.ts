/** Sign-in with a code that is mailed to the user. */
import { sendEmailCodeInput, verifyEmailCodeInput } from '../../providers/email-code.js';
import { codeErrors, endpoint, type Target } from '../endpoint.js';
import { responses } from '../response-schemas.js';
import { startBrowserSession } from '../signed-in.js';

const requires = ({ service }: Target) => service.emailCode;

export const sendEmailCode = endpoint({
  access: 'open',
  summary: 'Mails a sign-in code. The response is the same if the address may not sign up',
  body: () => sendEmailCodeInput().omit({ metadata: true }),
  response: responses.codeSent,
  errors: ['rate_limit_exceeded', 'email_send_failed', 'challenge_required'],
  requires,
  handle: async ({ service, body, context }) => service.emailCode.sendCode(body, context),
});

export const verifyEmailCode = endpoint({
  access: 'open',
  summary: 'Signs in with a mailed code. Creates the user if the address is new',
  body: verifyEmailCodeInput,
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
  requires,
  async handle({ service, req, res, body, context }) {
    const result = await service.emailCode.verify(body, context);
    return { ...startBrowserSession(service, req, res, result), created: result.created };
  },
});
