/** The field of a one-time code. */
import { html, type Html } from '../html/html.js';
import { fieldId } from '../pages-kit/fields.js';

export interface CodeInputOptions {
  name: string;
  label: string;
  error?: string | undefined;
  /** The number of digits, after which the script submits the form. */
  digits?: number;
}

/** Phones and password managers fill it in (`one-time-code`). A code is never shown again. */
export function codeInput({ name, label, error, digits }: CodeInputOptions): Html {
  const id = fieldId(name);
  return html`<div class="${error ? 'field invalid' : 'field'}">
    <label for="${id}">${label}</label>
    <input
      id="${id}"
      name="${name}"
      class="code"
      inputmode="numeric"
      autocomplete="one-time-code"
      autocapitalize="none"
      spellcheck="false"
      maxlength="20"
      ${digits && html`data-length="${digits}"`}
      ${error && html`aria-invalid="true" aria-describedby="${id}-error"`}
    />
    ${error && html`<p class="error" id="${id}-error">${error}</p>`}
  </div>`;
}
