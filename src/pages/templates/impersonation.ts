/** Above every page of an administrator who acts as a user. */
import {
  buttonForm,
  html,
  type AccountTemplatePage,
  type Html,
  type ImpersonationView,
} from '../template.js';

export function impersonation(page: AccountTemplatePage, { user }: ImpersonationView): Html {
  const { name, paths, texts } = page;
  const { impersonating, impersonatingUnnamed, stopImpersonating } = texts.notices;
  const words = user === null ? impersonatingUnnamed(name) : impersonating(name, html`<bdi>${user}</bdi>`);
  return html`<section class="impersonation" aria-labelledby="impersonation">
    <p id="impersonation">${words}</p>
    ${buttonForm(page, {
      action: `${paths.account}/impersonation`,
      label: stopImpersonating,
      // The response can belong to the admin pages.
      isPlain: true,
    })}
  </section>`;
}
