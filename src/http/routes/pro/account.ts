/** The caller's account: record, password and email address. */
import { LicenseRequiredError } from '../../../errors/catalog.js';
import { internals } from '../../../core/internals.js';
import {
  changeEmailInput,
  changeProfileInput,
  confirmEmailInput,
  setLanguageInput,
  verifyEmailInput,
} from '../../../providers/account/options.js';
import { changePasswordInput } from '../../../providers/email-password/options.js';
import { deletedPasskeys } from '../../deleted-passkeys.js';
import { codeErrors, endpoint, type Target } from '../../endpoint.js';
import { responses } from '../../response-schemas.js';
import { clearSessionCookie } from '../../session-cookie.js';
import { clearPendingSignIn, continueSession } from '../../signed-in.js';

const requires = ({ service }: Target) => service.account;

export const getAccount = endpoint({
  access: 'session',
  summary: 'Returns your account, with what a settings page needs to know',
  response: responses.account,
  requires,
  handle: async ({ service, me, context }) => service.account.summary(me.id, context),
});

export const deleteAccount = endpoint({
  access: 'recent',
  // A guest cannot sign in again.
  exemptFromReauth: async ({ service, me }) => (await service.account.summary(me.id)).isGuest,
  summary:
    'Deletes your account and all data that identifies you. `passkeys` names those that the browser can remove',
  response: responses.accountDeleted,
  errors: ['org_error'],
  requires,
  async handle({ service, req, res, me, context }) {
    await service.account.deleteUser(me.id, context);
    clearSessionCookie(service[internals], req, res);
    clearPendingSignIn(service, req, res);
    return { ok: true, ...deletedPasskeys(service, me.id) };
  },
});

export const exportAccount = endpoint({
  access: 'recent',
  summary: 'Returns all data about you, as a file',
  response: responses.accountExport,
  requires,
  async handle({ service, res, me, context }) {
    const data = await service.account.exportData(me.id, context);
    res.setHeader('Content-Disposition', 'attachment; filename="account.json"');
    return data;
  },
});

export const changePassword = endpoint({
  name: 'account.changePassword',
  access: 'recent',
  summary:
    'Changes your password, or sets a first one if you omit `currentPassword`. A change ends every other session',
  body: () => changePasswordInput().omit({ userId: true }),
  response: responses.user,
  errors: ['invalid_credentials', 'weak_password', 'rate_limit_exceeded'],
  setsSession: true,
  // The method belongs to the free tier, but this route to the Pro tier.
  requires({ service }) {
    if (!service.licensed) throw new LicenseRequiredError('account');
    return service.emailPassword;
  },
  async handle({ service, req, res, me, body, context }) {
    const changed = await service.emailPassword.changePassword({ ...body, userId: me.id }, context);
    return continueSession(service, req, res, changed);
  },
});

export const setLanguage = endpoint({
  name: 'account.setLanguage',
  access: 'no-impersonation',
  summary: 'Sets the language of your mails and pages. Null follows the language of your requests again',
  body: () => setLanguageInput().omit({ userId: true }),
  response: responses.language,
  requires,
  handle: async ({ service, me, body, context }) =>
    service.account.setLanguage({ ...body, userId: me.id }, context),
});

export const changeProfile = endpoint({
  name: 'account.changeProfile',
  access: 'no-impersonation',
  summary: 'Sets your name and picture, as far as they are given. Null removes them',
  body: () => changeProfileInput().omit({ userId: true }),
  response: responses.user,
  errors: ['rate_limit_exceeded'],
  requires,
  handle: async ({ service, me, body, context }) =>
    service.account.changeProfile({ ...body, userId: me.id }, context),
});

export const sendVerification = endpoint({
  name: 'account.sendVerification',
  access: 'session',
  summary:
    'Mails you a code to verify your address. If it is verified already, sends nothing and `expiresAt` is null',
  response: responses.sentIfNeeded,
  errors: ['invalid_request', 'rate_limit_exceeded', 'email_send_failed'],
  requires,
  handle: async ({ service, me, context }) => service.account.sendVerification(me.id, context),
});

export const verifyEmail = endpoint({
  access: 'no-impersonation',
  summary: 'Verifies your address with the mailed code',
  body: () => verifyEmailInput().omit({ userId: true }),
  response: responses.user,
  errors: [...codeErrors, 'rate_limit_exceeded'],
  requires,
  handle: async ({ service, me, body, context }) =>
    service.account.verifyEmail({ ...body, userId: me.id }, context),
});

export const changeEmail = endpoint({
  name: 'account.changeEmail',
  access: 'recent',
  summary:
    'Starts a change of your address: mails a code to the new address, and one to the current address if it is verified',
  body: () => changeEmailInput().omit({ userId: true }),
  response: responses.changeSent,
  errors: ['rate_limit_exceeded', 'email_send_failed'],
  requires,
  handle: async ({ service, me, body, context }) =>
    service.account.requestEmailChange({ ...body, userId: me.id }, context),
});

export const confirmEmail = endpoint({
  name: 'account.confirmEmail',
  access: 'recent',
  summary: 'Changes your address, with every code that was mailed. Ends every other session',
  body: () => confirmEmailInput().omit({ userId: true }),
  response: responses.user,
  errors: [...codeErrors, 'rate_limit_exceeded', 'email_exists'],
  setsSession: true,
  requires,
  async handle({ service, req, res, me, body, context }) {
    const changed = await service.account.confirmEmailChange({ ...body, userId: me.id }, context);
    return continueSession(service, req, res, changed);
  },
});
