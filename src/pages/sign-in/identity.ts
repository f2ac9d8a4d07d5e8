/** The address of an unfinished sign-in, with a way back to change it. */
import { html, type Html } from '../../html/html.js';
import { link } from '../form.js';
import type { Visit } from '../page.js';

export function identity(visit: Visit, email: string): Html {
  const { paths, texts } = visit;
  return html`<p class="identity">
    <bdi>${email}</bdi> ${link(visit, paths.signIn, texts.signIn.change)}
  </p>`;
}
