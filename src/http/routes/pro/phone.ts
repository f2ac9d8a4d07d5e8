/** Sign-in with a code that is sent by text message. */
import { sendPhoneCodeInput, verifyPhoneCodeInput } from '../../../providers/phone-otp.js';
import { codeErrors, endpoint, type Target } from '../../endpoint.js';
import { responses } from '../../response-schemas.js';
import { startBrowserSession } from '../../signed-in.js';

const requires = ({ service }: Target) => service.phoneOtp;

export const sendPhoneCode = endpoint({
  access: 'open',
  summary: 'Sends a sign-in code by text message',
  body: () => sendPhoneCodeInput().pick({ phone: true }),
  response: responses.sent,
  errors: ['rate_limit_exceeded', 'sms_send_failed'],
  requires,
  handle: async ({ service, body, context }) => service.phoneOtp.sendCode(body, context),
});

export const verifyPhoneCode = endpoint({
  access: 'open',
  summary: 'Signs in with a code from a text message',
  body: verifyPhoneCodeInput,
  response: responses.signIn,
  errors: [...codeErrors, 'rate_limit_exceeded', 'mfa_required', 'user_blocked', 'sign_up_disabled'],
  setsSession: true,
  requires,
  async handle({ service, req, res, body, context }) {
    const result = await service.phoneOtp.verify(body, context);
    return { ...startBrowserSession(service, req, res, result), created: result.created };
  },
});
