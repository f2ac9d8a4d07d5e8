/** Sign-in with a password: the second step, after the address. */
import { html } from '../../html/html.js';
import { input } from '../../pages-kit/fields.js';
import { attempted, form, link } from '../form.js';
import { goTo, type Page } from '../page.js';
import { arrive } from './arrive.js';
import { identity, usernameOf } from './identity.js';
import { otherMethods, otherMethodForms } from './other-methods.js';
import { FieldError } from '../../pages-kit/attempt.js';

export const passwordPage: Page = {
  path: ({ signIn }) => `${signIn}/password`,
  isOffered: ({ password }) => password !== null,
  show(visit, attempt) {
    const { flow, name, paths, texts } = visit;
    if (flow.email === undefined) return goTo(paths.signIn);
    const title = texts.signIn.title(name);
    const body = html`<h1>${title}</h1>
      ${identity(visit, flow.email)}
      ${form(visit, {
        action: `${paths.signIn}/password`,
        attempt,
        submit: texts.signIn.submit,
        fields: [
          usernameOf(flow.email),
          input({
            ...attempted(attempt, 'password'),
            label: texts.password,
            type: 'password',
            reveal: { show: texts.showPassword, hide: texts.hidePassword },
            autocomplete: 'current-password',
          }),
        ],
      })}
      <p class="below">${link(visit, paths.reset, texts.signIn.forgot)}</p>
      ${otherMethods(visit, 'password')}`;
    return { title, body };
  },
  forms: {
    ...otherMethodForms('password'),
    async ''(values, visit) {
      const { context, features, texts } = visit;
      const email = values.get('email') ?? '';
      const password = values.get('password') ?? '';
      if (password === '') throw new FieldError('password', texts.errors.passwordMissing);
      visit.flow.email = email;
      return arrive(visit, await features.password!.login({ email, password }, context));
    },
  },
};
