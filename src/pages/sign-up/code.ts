/**
 * The end of a sign-up with the mailed code: of one that does not reveal whether the address has an account, in the browser that signed
 * up, and of a guest.
 */
import { clearSignUp, readSignUp } from '../../http/sign-up-cookie.js';
import { continueSession } from '../../http/signed-in.js';
import { requiredCode } from '../code-input.js';
import { definePage, goTo } from '../page.js';
import { noteSent, resendPause } from '../sent.js';
import { arrive, leave } from '../sign-in/arrive.js';
import { strong } from '../sign-in/code-view.js';
import { guestOf } from '../sign-in/signed-in.js';
import { isServiceError, type ServiceErrorCode } from '../../errors/service-error.js';
import { sendUpgradeCode } from './start.js';
import { webMailOf } from '../sign-in/web-mail.js';
import { fieldsIn, fieldViews, refuseEmptyFields, withFieldErrors } from './fields.js';

export const signUpCodePage = definePage({
  path: ({ signUp }) => `${signUp}/code`,
  access: 'open',
  isOffered: ({ code, password }) => Boolean(password ?? code),
  async show(visit, attempt) {
    const { features, flow, paths, templates, texts } = visit;
    const { email } = flow;
    if (email === undefined) return goTo(paths.signUp);
    // A sign-up with a password has sent them before.
    const needsFields = features.hasSignUpFields && features.code !== null && (await guestOf(visit)) !== null;
    const { title, code, otherAddress } = texts.checkEmail;
    const body = templates.code(visit, {
      title,
      attempt,
      lead: code(strong(email)),
      action: `${paths.signUp}/code`,
      hidden: { email },
      digits: features.codeDigits,
      hasLetters: flow.codeFormat === 'letters',
      resend: `${paths.signUp}/code/again`,
      resendIn: resendPause(visit, 'sign_up', email) || resendPause(visit, 'guest_upgrade', email),
      otherAddress: { path: paths.signUp, label: otherAddress },
      webMail: webMailOf(email),
      current: null,
      otherMethods: [],
      lastUsed: null,
      ...(needsFields && { fields: fieldViews(visit) }),
    });
    return { title, body };
  },
  forms: {
    '': {
      access: 'open',
      ofGuest: 'no-impersonation',
      async submit(values, visit, guest) {
        const { context, features, req, res, service, texts } = visit;
        const code = requiredCode(values, texts);
        if (guest && features.code) {
          refuseEmptyFields(values, visit);
          const account = { userId: guest.session.user.id, email: values.get('email') ?? '', code };
          const input = { ...account, fields: fieldsIn(values, visit) };
          const upgrade = () => features.code!.upgradeGuest(input, guest.context);
          continueSession(service, req, res, await withFieldErrors(values, visit, upgrade));
          return leave(visit);
        }
        if (!features.password) return goTo(visit.paths.signUp);
        const token = readSignUp(service, req, undefined);
        const result = await features.password.finishSignUp({ token, code }, context);
        clearSignUp(service, req, res);
        return arrive(visit, result);
      },
    },
    again: {
      access: 'open',
      ofGuest: 'no-impersonation',
      async submit(values, visit, guest) {
        const { context, features, flow, paths, req, service } = visit;
        if (flow.email === undefined) return goTo(paths.signUp);
        if (guest && features.code) return sendUpgradeCode(guest, flow.email, values);
        if (!features.password) return goTo(paths.signUp);
        try {
          const token = readSignUp(service, req, undefined);
          const { codeFormat } = await features.password.resendSignUp({ token }, context);
          visit.keep({ codeFormat });
        } catch (error) {
          // Nothing waits for a code any more: the password is typed again.
          if (isServiceError(error) && restarting.includes(error.code)) return goTo(paths.signUp);
          throw error;
        }
        noteSent(visit, 'sign_up', flow.email);
        return goTo(`${paths.signUp}/code`);
      },
    },
  },
});

const restarting: readonly ServiceErrorCode[] = ['token_invalid', 'code_not_found'];
