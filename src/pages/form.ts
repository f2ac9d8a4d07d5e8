/** A form of a page: its token, its fields and its button. */
import { html, type Html, type Value } from '../html/html.js';
import { tokenField } from '../pages-kit/session-form.js';
import { carriedFields } from './flow.js';
import type { TemplatePage } from './views.js';
import type { Attempt } from '../pages-kit/attempt.js';

/** How long a button waits after the page is shown, and its label until then, in which `#` stands for the seconds. */
export interface Pause {
  seconds: number;
  label: string;
}

export interface FormOptions {
  /** The path below that of the pages. */
  action: string;
  fields?: readonly Value[];
  submit: Value;
  /** How the button looks. */
  kind?: 'primary' | 'plain' | 'link';
  attempt?: Attempt | null;
  id?: string;
  pause?: Pause;
  /** Whether the browser creates or uses a passkey before the form is sent. Needs a script. */
  isCeremony?: boolean;
  /** Whether the browser sends the form itself, and not the script. */
  isPlain?: boolean;
  /** The id of an element that describes the button. */
  describedBy?: string | undefined;
}

export function form(page: TemplatePage, options: FormOptions): Html {
  const { action, fields = [], submit, kind = 'primary', attempt } = options;
  const { describedBy, id, isCeremony, isPlain, pause } = options;
  const general = attempt?.errors.get('');
  return html`<form
    method="post"
    action="${page.base}${action}"
    ${id && html`id="${id}"`}
    class="${kind === 'primary' ? 'steps' : 'inline'}"
    ${isCeremony && html`data-ceremony`}
    ${isPlain && html`data-plain`}
    data-solving="${page.texts.challenge.solving}"
    novalidate
  >
    <input type="hidden" name="${tokenField}" value="${page.flow.formToken}" />
    ${carriedFields(page.flow).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
    ${general && html`<p class="banner bad" role="alert">${general}</p>`} ${fields}
    <button
      class="${kind}"
      ${pause && pauseOf(pause)}
      ${describedBy && html`aria-describedby="${describedBy}"`}
    >
      ${submit}
    </button>
  </form>`;
}

/** For the script: the attributes of a button that waits. */
export function pauseOf({ seconds, label }: Pause): Html | false {
  return seconds > 0 && html`data-pause="${seconds}" data-paused-label="${label}"`;
}

/** What a field shows of an attempt. */
export function attempted(attempt: Attempt | null, name: string, initial = '') {
  return { name, value: attempt?.values.get(name) ?? initial, error: attempt?.errors.get(name) };
}

/** A link to another page. */
export function link({ base }: Pick<TemplatePage, 'base'>, path: string, label: string): Html {
  return html`<a href="${base}${path}">${label}</a>`;
}
