/** The field of a one-time code. */
import { typedCode as readCode } from '../domain/typed-text.js';
import { longCodeLength } from '../domain/one-time-code.js';
import { html, type Html } from '../html/html.js';
import { FieldError } from '../pages-kit/attempt.js';
import { fieldId } from '../pages-kit/fields.js';
import type { Texts } from './texts/texts.js';

export interface CodeInputOptions {
  name: string;
  label: string;
  error?: string | undefined;
  /** The number of digits, after which the script submits the form. */
  digits?: number;
  /** Whether the code may have letters, for which a phone shows its whole keyboard. */
  hasLetters?: boolean;
  /** What the code looks like. */
  hint?: string | false;
}

/** Phones and password managers fill it in (`one-time-code`). A code is never shown again. */
export function codeInput({ name, label, error, digits, hasLetters, hint }: CodeInputOptions): Html {
  const id = fieldId(name);
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ');
  const length = hasLetters && digits ? longCodeLength : digits;
  return html`<div class="${error ? 'field invalid' : 'field'}">
    <label for="${id}">${label}</label>
    ${hint && html`<p class="hint" id="${id}-hint">${hint}</p>`}
    <input
      id="${id}"
      name="${name}"
      class="code"
      inputmode="${hasLetters ? 'text' : 'numeric'}"
      autocomplete="one-time-code"
      autocapitalize="${hasLetters ? 'characters' : 'none'}"
      spellcheck="false"
      maxlength="64"
      ${length && html`data-length="${length}"`}
      ${error && html`aria-invalid="true"`}
      ${described && html`aria-describedby="${described}"`}
    />
    ${error && html`<p class="error" id="${id}-error">${error}</p>`}
  </div>`;
}

/** Returns the code that was typed, as the service reads it. @param name the name of the field. */
export function typedCode(values: URLSearchParams, name = 'code'): string {
  return readCode(values.get(name) ?? '');
}

/** As `typedCode`. @throws FieldError if nothing was typed. */
export function requiredCode(values: URLSearchParams, { errors }: Texts): string {
  const code = typedCode(values);
  if (code === '') throw new FieldError('code', errors.codeMissing);
  return code;
}
