/** The address of an unfinished sign-in, in the form. */
import { html, type Html } from '../../html/html.js';

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
