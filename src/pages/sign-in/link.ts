/** Sign-in with a mailed link: what the browser that asked for it shows until the link is opened. */
import { html } from '../../html/html.js';
import { goTo, type Page } from '../page.js';
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
    const refusal = attempt?.errors.get('');
    const body = html`<h1>${title}</h1>
      ${refusal && html`<p class="banner bad" role="alert">${refusal}</p>`}
      <p class="lead">${texts.checkEmail.link(html`<strong><bdi>${flow.email}</bdi></strong>`)}</p>
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
    async again(_values, visit) {
      const { email } = visit.flow;
      return email === undefined ? goTo(visit.paths.signIn) : beginWith('link', email, visit);
    },
  },
};
