/** Asks for the captcha of the application, or explains why the browser has to run a script. */
import { form, html, input, link, type ChallengeView, type Html, type TemplatePage } from '../template.js';

export function challenge(page: TemplatePage, view: ChallengeView): Html {
  const { paths, texts } = page;
  return html`<h1>${view.title}</h1>
    ${
      view.widget
        ? html`<p class="lead">${texts.challenge.lead}</p>
            ${form(page, {
              action: view.action,
              attempt: view.attempt,
              submit: texts.continue,
              // The captcha runs under the policy of this page, and the next response may be a captcha too.
              isPlain: true,
              fields: [
                ...Object.entries(view.hidden).map(
                  ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
                ),
                view.hasPassword &&
                  input({
                    name: 'password',
                    label: texts.password,
                    type: 'password',
                    reveal: { show: texts.showPassword, hide: texts.hidePassword },
                    autocomplete: 'new-password',
                  }),
                view.widget,
              ],
            })}`
        : html`<p class="banner bad" role="alert">${texts.challenge.needsScript}</p>`
    }
    <p class="below">${link(page, paths.signIn, texts.back)}</p>`;
}
