/** The address of an unfinished sign-in, with a way back to change it. */
import { html, type Html } from '../../html/html.js';
import { link } from '../form.js';
import type { Visit } from '../page.js';

export function identity(visit: Visit, email: string): Html {
  const { paths, texts } = visit;
  return html`<p class="identity"><bdi>${email}</bdi> ${link(visit, paths.signIn, texts.signIn.change)}</p>`;
}

/** The address for the form and for password managers, which ignore fields of the type `hidden`. */
export function usernameOf(email: string): Html {
  return html`<input
    class="unseen"
    name="email"
    value="${email}"
    autocomplete="username"
    tabindex="-1"
    aria-hidden="true"
    readonly
  />`;
}
