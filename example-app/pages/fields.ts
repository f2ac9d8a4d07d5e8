/** Building blocks of forms: labeled fields with a hint and an error, and buttons that move between steps. */
import { html, type Html, type Value } from './html.js';

interface Field {
  id: string;
  name: string;
  label: string;
  type?: 'email' | 'password' | 'text' | 'tel';
  autocomplete: string;
  hint?: string;
  /** `numeric` shows a numeric keyboard on phones. */
  inputmode?: 'numeric';
  placeholder?: string;
  maxlength?: number;
}

/** A labeled input with its hint and error message. */
export function field({ id, name, label, hint, type = 'text', ...others }: Field): Html {
  const { autocomplete, inputmode, placeholder, maxlength } = others;
  return html`<div class="field">
    <label for="${id}">${label}</label>
    <input
      id="${id}"
      name="${name}"
      type="${type}"
      autocomplete="${autocomplete}"
      ${inputmode && html`inputmode="${inputmode}"`}
      ${placeholder && html`placeholder="${placeholder}"`}
      ${maxlength && html`maxlength="${maxlength}"`}
      aria-describedby="${id}-error${hint && ` ${id}-hint`}"
      required
    />
    <p class="error" id="${id}-error"></p>
    ${hint && html`<p class="hint" id="${id}-hint">${hint}</p>`}
  </div>`;
}

export function checkbox({ id, name, label, hint }: Pick<Field, 'id' | 'name' | 'label' | 'hint'>): Html {
  return html`<div class="field">
    <label class="check">
      <input type="checkbox" id="${id}" name="${name}" ${hint && html`aria-describedby="${id}-hint"`} />
      <span>${label}</span>
    </label>
    ${hint && html`<p class="hint" id="${id}-hint">${hint}</p>`}
  </div>`;
}

export const emailField = (id: string, hint?: string, label = 'Email address') =>
  field({ id, name: 'email', label, type: 'email', autocomplete: 'email webauthn', hint });

export const codeField = (id: string, label: string, hint?: string) =>
  field({ id, name: 'code', label, autocomplete: 'one-time-code', inputmode: 'numeric', hint });

interface Form {
  id: string;
  /** The route below /api/auth. The scripts call it with the client. */
  route: string;
  submit: string;
  /** The button's label while the action runs. */
  busy: string;
  /** The style of the button. Default: the primary button. */
  look?: 'plain' | 'danger';
  /** Puts the button next to the field, for forms with one field. */
  inline?: boolean;
  hidden?: boolean;
}

/** A form with its fields, a message and its button. `after` is rendered below the button. */
export function form(options: Form, fields: Value, after?: Value): Html {
  const { id, route, submit, busy, look, inline, hidden } = options;
  return html`<form
    id="${id}"
    action="/api/auth${route}"
    method="post"
    ${inline && html`class="inline"`}
    ${hidden && 'hidden'}
  >
    ${fields} ${formMessage}
    <button ${look && html`class="${look}"`} data-busy="${busy}">${submit}</button>
    ${after}
  </form>`;
}

/** The error message of a form as a whole. Screen readers announce its changes. */
export const formMessage = html`<p class="error" role="alert" data-message></p>`;

/** Below a field for a code: sends another code, or goes back to the step that sent it. */
export const resendOr = (step: string, label: string) =>
  html`<div class="row">
    <button type="button" class="quiet" data-resend data-busy="Sending…">Resend code</button>
    ${stepButton(step, label)}
  </div>`;

/** A button that shows another step of the same page. */
export const stepButton = (step: string, label: string) =>
  html`<button type="button" class="quiet" data-step="${step}">${label}</button>`;
