/** Sign-in with a password: the second step, after the address. */
import { requiredCode } from '../code-input.js';
import { definePage, goTo } from '../page.js';
import { lastAddressMethod, otherMethodForms, otherMethodsOf } from './methods.js';
import { allowAutomaticPasskey, arriveOrOffer } from './passkey-offer.js';
import { FieldError } from '../../pages-kit/attempt.js';
import { isServiceError } from '../../errors/service-error.js';

export const passwordPage = definePage({
  path: ({ signIn }) => `${signIn}/password`,
  access: 'open',
  isOffered: ({ password }) => password !== null,
  show(visit, attempt) {
    const { features, flow, name, paths, templates, texts } = visit;
    if (flow.email === undefined) return goTo(paths.signIn);
    const title = texts.signIn.title(name);
    const view = {
      title,
      attempt,
      email: flow.email,
      codeDigits: attempt?.errors.has('code') ? features.codeDigits : null,
      canReset: features.passwordReset !== null,
      otherMethods: otherMethodsOf(visit, 'password'),
      lastUsed: lastAddressMethod(visit),
    };
    return { title, body: templates.password(visit, view) };
  },
  forms: {
    ...otherMethodForms('password'),
    '': {
      access: 'open',
      async submit(values, visit) {
        const { context, features, texts } = visit;
        const email = values.get('email') ?? '';
        const password = values.get('password') ?? '';
        if (password === '') throw new FieldError('password', texts.errors.passwordMissing);
        // Asked for after too many wrong passwords.
        const code = values.has('code') ? { code: requiredCode(values, texts) } : {};
        visit.flow.email = email;
        const isAddress = email.includes('@') || !features.hasUsernames;
        const subject = isAddress ? { email } : { username: email };
        try {
          const result = await features.password!.login({ ...subject, password, ...code }, context);
          await allowAutomaticPasskey(visit, result);
          return arriveOrOffer(visit, result);
        } catch (error) {
          if (isServiceError(error) && error.reason === 'code_required')
            throw new FieldError('code', texts.errors.passwordCode);
          const isWrong = isServiceError(error) && error.code === 'invalid_credentials';
          // Malformed and unknown names get the same response.
          const isMalformed = isServiceError(error) && error.code === 'invalid_request' && !isAddress;
          if (features.hasUsernames && (isWrong || isMalformed))
            throw new FieldError('password', texts.errors.credentialsOrUsername);
          throw error;
        }
      },
    },
  },
});
