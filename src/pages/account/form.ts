/** A form of the account: its token, its fields, its button, and a way out. */
import { html, type Html, type Value } from '../../html/html.js';
import { tokenField } from '../../pages-kit/session-form.js';
import { carriedNext } from '../flow.js';
import { pauseOf, type Pause } from '../form.js';
import { accountField } from './typed.js';
import type { AccountFormOptions } from './change-views.js';
import type { AccountTemplatePage } from './views.js';

export function accountForm(
  page: AccountTemplatePage,
  { action, fields, submit, kind = 'primary', cancel }: AccountFormOptions,
): Html {
  return html`<form method="post" action="${page.base}${action}" class="steps" novalidate>
    ${formToken(page)} ${fields}
    <div class="buttons">
      <button class="${kind}">${submit}</button>
      ${cancel !== undefined && html`<a class="button plain" href="${page.base}${cancel}">${page.words.cancel}</a>`}
    </div>
  </form>`;
}

export interface ButtonFormOptions {
  action: string;
  label: Value;
  kind?: 'plain' | 'primary' | 'link';
  /** Keeps the script from sending the form: the response is a file, or leads to another site. */
  isPlain?: boolean;
  pause?: Pause;
}

/** A form that is only a button. Empty if the session may not send it. */
export function buttonForm(
  page: AccountTemplatePage,
  { action, label, kind = 'plain', isPlain, pause }: ButtonFormOptions,
): Html {
  if (page.isClosed(action)) return html``;
  return html`<form
    method="post"
    action="${page.base}${action}"
    class="inline"
    ${isPlain && html`data-plain`}
  >
    ${formToken(page)}
    <button class="${kind}" ${pause && pauseOf(pause)}>${label}</button>
  </form>`;
}

/** The token of the session, and not that of the flow. */
function formToken({ accountMark, accountToken, flow }: AccountTemplatePage): Html {
  const fields = [
    [tokenField, accountToken] as const,
    [accountField, accountMark] as const,
    ...carriedNext(flow),
  ];
  return html`${fields.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}`;
}
