/** The end of a sign-up that does not reveal whether the address has an account: with the mailed code, in the browser that signed up. */
import { html } from '../../html/html.js';
import { clearSignUp, readSignUp } from '../../http/sign-up-cookie.js';
import { codeInput, requiredCode } from '../code-input.js';
import { attempted, form, link } from '../form.js';
import { goTo, type Page } from '../page.js';
import { arrive } from '../sign-in/arrive.js';

export const signUpCodePage: Page = {
  path: ({ signUp }) => `${signUp}/code`,
  isOffered: ({ password }) => password !== null,
  show(visit, attempt) {
    const { flow, paths, texts } = visit;
    if (flow.email === undefined) return goTo(paths.signUp);
    const title = texts.checkEmail.title;
    const body = html`<h1>${title}</h1>
      <p class="lead">${texts.checkEmail.code(html`<strong><bdi>${flow.email}</bdi></strong>`)}</p>
      ${form(visit, {
        action: `${paths.signUp}/code`,
        attempt,
        submit: texts.continue,
        fields: [
          codeInput({ ...attempted(attempt, 'code'), label: texts.code, digits: visit.features.codeDigits }),
        ],
      })}
      <p class="below">${link(visit, paths.signUp, texts.checkEmail.otherAddress)}</p>`;
    return { title, body };
  },
  forms: {
    async ''(values, visit) {
      const { context, features, req, res, service, texts } = visit;
      const code = requiredCode(values, texts);
      const token = readSignUp(service, req, undefined);
      const result = await features.password!.finishSignUp({ token, code }, context);
      clearSignUp(service, req, res);
      return arrive(visit, result);
    },
  },
};
