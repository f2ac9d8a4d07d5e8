/** The fields of forms: a label, a hint, and an error next to the field. They work without a script. */
import { html, type Html } from '../html/html.js';

export interface FieldOptions {
  name: string;
  label: string | Html;
  value?: string;
  hint?: string | Html | undefined;
  error?: string | undefined;
  required?: boolean;
  /** The word after the label that says that the field can stay empty, in the language of the page. */
  optional?: string;
  /** Hides the label from sight, but not from screen readers. */
  isLabelHidden?: boolean;
}

interface InputOptions extends FieldOptions {
  type?: 'text' | 'email' | 'tel' | 'url' | 'number' | 'password' | 'search' | 'date' | 'datetime-local';
  autocomplete?: string;
  maxLength?: number;
  placeholder?: string;
  /** Labels of a button that shows what is typed as a password. Only with a script. */
  reveal?: { show: string; hide: string };
}

/** The id of a field, to which the summary of the errors links. */
export const fieldId = (name: string) => `field-${name}`;

export function input({ type = 'text', value = '', ...options }: InputOptions): Html {
  const { name, autocomplete = 'off', maxLength, placeholder, required, reveal } = options;
  // A password never appears in a page.
  const shown = type === 'password' ? '' : value;
  return labelled(
    options,
    html`<input
      id="${fieldId(name)}"
      name="${name}"
      type="${type}"
      ${['email', 'tel', 'url'].includes(type) && html`dir="ltr"`}
      ${type === 'number' && html`inputmode="decimal" step="any"`}
      value="${shown}"
      autocomplete="${autocomplete}"
      spellcheck="false"
      autocapitalize="none"
      ${maxLength && html`maxlength="${maxLength}"`}
      ${placeholder && html`placeholder="${placeholder}"`}
      ${required && html`required`}
      ${reveal && html`data-show="${reveal.show}" data-hide="${reveal.hide}"`}
      ${description(options)}
    />`,
  );
}

/** @param options.isCode sets the text in a monospaced font. */
export function textArea({
  rows = 3,
  isCode = false,
  maxLength,
  ...options
}: FieldOptions & { rows?: number; isCode?: boolean; maxLength?: number }): Html {
  return labelled(
    options,
    html`<textarea
      id="${fieldId(options.name)}"
      name="${options.name}"
      rows="${rows}"
      spellcheck="${isCode ? 'false' : 'true'}"
      ${isCode && html`class="code"`}
      ${maxLength && html`maxlength="${maxLength}"`}
      ${options.required && html`required`}
      ${description(options)}
    >
${options.value}</textarea>`,
  );
}

export function select({
  autocomplete,
  ...options
}: FieldOptions & { choices: readonly (readonly [string, string])[]; autocomplete?: string }): Html {
  const chosen = options.value ?? '';
  return labelled(
    options,
    html`<select
      id="${fieldId(options.name)}"
      name="${options.name}"
      ${autocomplete && html`autocomplete="${autocomplete}"`}
      ${options.required && html`required`}
      ${description(options)}
    >
      ${options.choices.map(
        ([value, label]) =>
          html`<option value="${value}" ${value === chosen && html`selected`}>${label}</option>`,
      )}
    </select>`,
  );
}

export function checkBox({ isChecked, ...options }: FieldOptions & { isChecked: boolean }): Html {
  const { name, label, hint, error, required } = options;
  const id = fieldId(name);
  return html`<div class="${error ? 'field check invalid' : 'field check'}">
    <input
      id="${id}"
      name="${name}"
      type="checkbox"
      value="yes"
      ${isChecked && html`checked`}
      ${required && html`required`}
      ${description(options)}
    />
    <label for="${id}"><span>${label}</span></label>
    ${hint && html`<p class="hint" id="${id}-hint">${hint}</p>`}
    ${error && html`<p class="error" id="${id}-error">${error}</p>`}
  </div>`;
}

function labelled(options: FieldOptions, control: Html): Html {
  const { name, label, hint, error, optional, isLabelHidden } = options;
  const id = fieldId(name);
  return html`<div class="${error ? 'field invalid' : 'field'}">
    <label for="${id}" class="${isLabelHidden && 'hidden'}"
      >${label}${optional && html` <span class="soft">(${optional})</span>`}</label
    >
    ${hint && html`<p class="hint" id="${id}-hint">${hint}</p>`} ${control}
    ${error && html`<p class="error" id="${id}-error">${error}</p>`}
  </div>`;
}

function description({ name, hint, error }: FieldOptions): Html {
  const id = fieldId(name);
  const ids = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ');
  return html`${ids !== '' && html`aria-describedby="${ids}"`} ${error && html`aria-invalid="true"`}`;
}
