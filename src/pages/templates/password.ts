/** Sign-in with a password: the second step, after the address. */
import {
  attempted,
  codeInput,
  form,
  html,
  input,
  link,
  usernameOf,
  type Html,
  type PasswordView,
  type TemplatePage,
} from '../template.js';
import { lastUsed } from './last-used.js';
import { otherMethods } from './others.js';

export function password(page: TemplatePage, view: PasswordView): Html {
  const { paths, texts } = page;
  const { attempt, email } = view;
  // Only a user who can choose needs to know.
  const used = lastUsed(page, view.lastUsed === 'password' && view.otherMethods.length > 0);
  return html`<h1>${view.title}</h1>
    <p class="identity"><bdi>${email}</bdi> ${link(page, paths.signIn, texts.signIn.change)}</p>
    ${form(page, {
      action: `${paths.signIn}/password`,
      attempt,
      submit: [texts.signIn.submit, used?.mark],
      describedBy: used?.id,
      fields: [
        usernameOf(email),
        input({
          ...attempted(attempt, 'password'),
          label: texts.password,
          type: 'password',
          reveal: { show: texts.showPassword, hide: texts.hidePassword },
          autocomplete: 'current-password',
        }),
        view.codeDigits !== null &&
          codeInput({
            ...attempted(attempt, 'code'),
            label: texts.code,
            digits: view.codeDigits,
            // It has letters after too many wrong codes.
            hasLetters: true,
          }),
      ],
    })}
    ${view.canReset && html`<p class="below">${link(page, paths.reset, texts.signIn.forgot)}</p>`}
    ${otherMethods(page, 'password', view)}`;
}
