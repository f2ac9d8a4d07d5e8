/** A form of a page: its token, its fields and its button. */
import { html, type Html } from '../html/html.js';
import { tokenField } from '../pages-kit/session-form.js';
import type { Visit } from './page.js';
import type { Attempt } from '../pages-kit/attempt.js';

export interface FormOptions {
  /** The path below that of the pages. */
  action: string;
  fields?: readonly Html[];
  submit: string;
  /** How the button looks. */
  kind?: 'primary' | 'plain' | 'link';
  attempt?: Attempt | null;
  id?: string;
  /** How long the button waits after the page is shown, and its label until then, in which `#` stands for the seconds. */
  pause?: { seconds: number; label: string };
}

export function form(
  visit: Visit,
  { action, fields = [], submit, kind = 'primary', attempt, id, pause }: FormOptions,
): Html {
  const general = attempt?.errors.get('');
  return html`<form
    method="post"
    action="${visit.base}${action}"
    ${id && html`id="${id}"`}
    class="${kind === 'primary' ? 'steps' : 'inline'}"
    novalidate
  >
    <input type="hidden" name="${tokenField}" value="${visit.flow.formToken}" />
    ${general && html`<p class="banner bad" role="alert">${general}</p>`} ${fields}
    <button
      class="${kind}"
      ${pause && html`data-pause="${pause.seconds}" data-paused-label="${pause.label}"`}
    >
      ${submit}
    </button>
  </form>`;
}

/** What a field shows of an attempt. */
export function attempted(attempt: Attempt | null, name: string, initial = '') {
  return { name, value: attempt?.values.get(name) ?? initial, error: attempt?.errors.get(name) };
}

/** A link to another page. */
export function link({ base }: Visit, path: string, label: string): Html {
  return html`<a href="${base}${path}">${label}</a>`;
}
