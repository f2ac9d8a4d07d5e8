/** Sign-in with a code that is sent by text message, and the phone numbers of the caller's account. */
import {
  linkPhoneInput,
  sendPhoneCodeInput,
  sendPhoneLinkInput,
  verifyPhoneCodeInput,
} from '../../../providers/phone-otp/options.js';
import { codeErrors, endpoint, type Target } from '../../endpoint.js';
import { responses } from '../../response-schemas.js';
import { startBrowserSession } from '../../signed-in.js';

const requires = ({ service }: Target) => service.phoneOtp;

export const sendPhoneCode = endpoint({
  access: 'open',
  summary: 'Sends a sign-in code by text message',
  body: () => sendPhoneCodeInput().omit({ metadata: true }),
  response: responses.sent,
  errors: ['rate_limit_exceeded', 'sms_send_failed', 'challenge_required'],
  requires,
  handle: async ({ service, body, context }) => service.phoneOtp.sendCode(body, context),
});

export const verifyPhoneCode = endpoint({
  access: 'open',
  summary: 'Signs in with a code from a text message',
  body: verifyPhoneCodeInput,
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
    const result = await service.phoneOtp.verify(body, context);
    return { ...startBrowserSession(service, req, res, result), created: result.created };
  },
});

export const listPhones = endpoint({
  access: 'session',
  summary: 'Lists the phone numbers of your account, oldest first',
  response: responses.phones,
  requires,
  handle: async ({ service, me, context }) => service.phoneOtp.list(me.id, context),
});

export const sendPhoneLinkCode = endpoint({
  name: 'phones.send',
  access: 'recent',
  summary:
    'Sends a code by text message, to add the number to your account. The response is the same if another account has it',
  body: () => sendPhoneLinkInput().omit({ userId: true }),
  response: responses.sent,
  errors: ['rate_limit_exceeded', 'sms_send_failed'],
  requires,
  handle: async ({ service, me, body, context }) =>
    service.phoneOtp.sendLinkCode({ ...body, userId: me.id }, context),
});

export const linkPhone = endpoint({
  name: 'phones.add',
  access: 'recent',
  summary: 'Adds a phone number to your account with the code from the text message',
  body: () => linkPhoneInput().omit({ userId: true }),
  response: responses.phone,
  errors: [...codeErrors, 'rate_limit_exceeded'],
  requires,
  handle: async ({ service, me, body, context }) =>
    service.phoneOtp.link({ ...body, userId: me.id }, context),
});

export const removePhone = endpoint({
  access: 'recent',
  summary: 'Removes one of your phone numbers. Refuses to remove your last sign-in method',
  response: responses.ok,
  requires,
  async handle({ service, me, param, context }) {
    await service.phoneOtp.remove(me.id, param('id'), context);
    return { ok: true };
  },
});
