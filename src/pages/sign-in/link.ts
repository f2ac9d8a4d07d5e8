/** Sign-in with a mailed link: what the browser that asked for it shows until the link is opened. */
import { html } from '../../html/html.js';
import { codeInput, requiredCode } from '../code-input.js';
import { attempted, form } from '../form.js';
import { goTo, type Page } from '../page.js';
import { arrive } from './arrive.js';
import { afterMail } from './after-mail.js';
import { beginWith } from './methods.js';
import { otherMethodForms, otherMethods } from './other-methods.js';
import { statusPath } from './status.js';

export const linkPage: Page = {
  path: ({ signIn }) => `${signIn}/link`,
  isOffered: ({ link }) => link !== null,
  show(visit, attempt) {
    const { flow, paths, texts } = visit;
    if (flow.email === undefined) return goTo(paths.signIn);
    const title = texts.checkEmail.title;
    const { hasLinkCode } = visit.features;
    const refusal = attempt?.errors.get('');
    const email = html`<strong><bdi>${flow.email}</bdi></strong>`;
    const body = html`<h1>${title}</h1>
      ${refusal && !hasLinkCode && html`<p class="banner bad" role="alert">${refusal}</p>`}
      <p class="lead">${hasLinkCode ? texts.checkEmail.linkAndCode(email) : texts.checkEmail.link(email)}</p>
      ${
        hasLinkCode &&
        form(visit, {
          action: `${paths.signIn}/link`,
          attempt,
          submit: texts.continue,
          fields: [
            html`<input type="hidden" name="email" value="${flow.email}" />`,
            codeInput({
              ...attempted(attempt, 'code'),
              label: texts.code,
              digits: visit.features.codeDigits,
            }),
          ],
        })
      }
      <p
        class="waiting"
        data-waiting="${visit.base}${paths.signIn}${statusPath}"
        data-arrive="${flow.next ?? visit.homeUrl}"
        hidden
      >
        ${texts.checkEmail.waiting}
      </p>
      ${afterMail(visit, `${paths.signIn}/link/again`)} ${otherMethods(visit, 'link')}`;
    return { title, body };
  },
  forms: {
    ...otherMethodForms('link'),
    async ''(values, visit) {
      const { context, features, texts } = visit;
      const email = values.get('email') ?? '';
      const code = requiredCode(values, texts);
      visit.flow.email = email;
      return arrive(visit, await features.link!.verifyCode({ email, code }, context));
    },
    async again(_values, visit) {
      const { email } = visit.flow;
      return email === undefined ? goTo(visit.paths.signIn) : beginWith('link', email, visit);
    },
  },
};
