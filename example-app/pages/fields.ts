/** What forms are made of: labelled fields with room for a hint and an error, and steps of which one is shown. */
import { html, type Html, type Value } from './html.js';

interface Field {
  id: string;
  name: string;
  label: string;
  type?: 'email' | 'password' | 'text' | 'tel';
  autocomplete: string;
  hint?: string;
  /** `numeric` brings up digits on a phone. */
  inputmode?: 'numeric';
  placeholder?: string;
  maxlength?: number;
}

/** A labelled input with its hint and a place for what is wrong with it. */
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
  /** Where it posts to below /api/auth; the scripts send the same with the client. */
  route: string;
  submit: string;
  /** What the button says meanwhile. */
  busy: string;
  /** What kind of button it is; without a word the one that the page is about. */
  look?: 'plain' | 'danger';
  /** The button beside the field, for forms of one field. */
  inline?: boolean;
  hidden?: boolean;
}

/** A form with its fields, a place for what concerns it as a whole, and its button; `after` comes below the button. */
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

/** Where a form says what concerns it as a whole; read out when it changes. */
export const formMessage = html`<p class="error" role="alert" data-message></p>`;

/** A button that goes to another step of the same page. */
export const stepButton = (step: string, label: string) =>
  html`<button type="button" class="quiet" data-step="${step}">${label}</button>`;
