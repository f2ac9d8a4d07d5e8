/** Sign-in with a mailed code: the second step, after the address. */
import { html } from '../../html/html.js';
import { attempted, form } from '../form.js';
import { codeInput, requiredCode } from '../code-input.js';
import { goTo, type Page } from '../page.js';
import { arrive } from './arrive.js';
import { afterMail } from './after-mail.js';
import { beginWith } from './methods.js';
import { otherMethodForms, otherMethods } from './other-methods.js';

export const codePage: Page = {
  path: ({ signIn }) => `${signIn}/code`,
  isOffered: ({ code }) => code !== null,
  show(visit, attempt) {
    const { flow, paths, texts } = visit;
    if (flow.email === undefined) return goTo(paths.signIn);
    const title = texts.checkEmail.title;
    const body = html`<h1>${title}</h1>
      <p class="lead">${texts.checkEmail.code(html`<strong><bdi>${flow.email}</bdi></strong>`)}</p>
      ${form(visit, {
        action: `${paths.signIn}/code`,
        attempt,
        submit: texts.continue,
        fields: [
          html`<input type="hidden" name="email" value="${flow.email}" />`,
          codeInput({ ...attempted(attempt, 'code'), label: texts.code, digits: visit.features.codeDigits }),
        ],
      })}
      ${afterMail(visit, `${paths.signIn}/code/again`)} ${otherMethods(visit, 'code')}`;
    return { title, body };
  },
  forms: {
    ...otherMethodForms('code'),
    async ''(values, visit) {
      const { context, features, texts } = visit;
      const email = values.get('email') ?? '';
      const code = requiredCode(values, texts);
      visit.flow.email = email;
      return arrive(visit, await features.code!.verify({ email, code }, context));
    },
    async again(_values, visit) {
      const { email } = visit.flow;
      return email === undefined ? goTo(visit.paths.signIn) : beginWith('code', email, visit);
    },
  },
};
