/** An invite to an organization. */
import { form, html, type Html, type JoinView, type TemplatePage } from '../template.js';

export function join(page: TemplatePage, view: JoinView): Html {
  const { base, paths, texts } = page;
  const refusal = view.attempt?.errors.get('');
  return html`<h1>${view.title}</h1>
    <p class="lead">${texts.join.lead(view.role, html`<bdi>${view.email}</bdi>`)}</p>
    ${refusal && html`<p class="banner bad" role="alert">${refusal}</p>`}
    ${
      view.isSignedIn
        ? form(page, {
            action: paths.join,
            submit: texts.join.accept,
            fields: [html`<input type="hidden" name="token" value="${view.token}" />`],
          })
        : html`<a class="button primary" href="${base}${view.signInPath}">${texts.join.signIn}</a>`
    }`;
}
