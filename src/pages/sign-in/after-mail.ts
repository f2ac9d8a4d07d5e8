/** What follows a mail: send it again, or use another address. */
import { html, type Html } from '../../html/html.js';
import { form, link } from '../form.js';
import type { Visit } from '../page.js';

export function afterMail(visit: Visit, resendAction: string): Html {
  const { paths, texts } = visit;
  return html`<div class="below row">
    ${form(visit, {
      action: resendAction,
      submit: texts.checkEmail.resend,
      kind: 'link',
      pause: { seconds: 30, label: texts.checkEmail.resendIn('#') },
    })}
    ${link(visit, paths.signIn, texts.checkEmail.otherAddress)}
  </div>`;
}
