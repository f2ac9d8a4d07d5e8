/** A form of the account: its token, its fields, its button, and a way out. */
import { html, type Html, type Value } from '../../html/html.js';
import { tokenField } from '../../pages-kit/session-form.js';
import { pauseOf, type Pause } from '../form.js';
import type { AccountVisit } from './page.js';

export interface AccountFormOptions {
  /** Below the path of the pages. */
  action: string;
  fields?: Value;
  submit: string;
  kind?: 'primary' | 'danger';
  /** The path of the page to return to without a change. */
  cancel?: string;
}

export function accountForm(
  visit: AccountVisit,
  { action, fields, submit, kind = 'primary', cancel }: AccountFormOptions,
): Html {
  return html`<form method="post" action="${visit.base}${action}" class="steps" novalidate>
    ${formToken(visit)} ${fields}
    <div class="buttons">
      <button class="${kind}">${submit}</button>
      ${cancel !== undefined && html`<a class="button plain" href="${visit.base}${cancel}">${visit.words.cancel}</a>`}
    </div>
  </form>`;
}

interface ButtonOptions {
  action: string;
  label: Value;
  kind?: 'plain' | 'primary' | 'link';
  /** Keeps the script from sending the form: the response is a file, or leads to another site. */
  isPlain?: boolean;
  pause?: Pause;
}

/** A form that is only a button. */
export function buttonForm(
  visit: AccountVisit,
  { action, label, kind = 'plain', isPlain, pause }: ButtonOptions,
): Html {
  return html`<form
    method="post"
    action="${visit.base}${action}"
    class="inline"
    ${isPlain && html`data-plain`}
  >
    ${formToken(visit)}
    <button class="${kind}" ${pause && pauseOf(pause)}>${label}</button>
  </form>`;
}

/** The token of the session, and not that of the flow. */
function formToken({ accountToken }: AccountVisit): Html {
  return html`<input type="hidden" name="${tokenField}" value="${accountToken}" />`;
}
