/** The parts of an account page: cards, rows, badges and buttons. */
import { BoundedMap } from '../../core/support/bounded-map.js';
import { html, type Html, type Value } from '../../html/html.js';
import type { TemplatePage } from '../views.js';
import type { AccountTemplatePage, ListPages } from './views.js';

export interface PanelOptions {
  /** The id of the title. */
  id: string;
  title: Value;
  lead?: Value;
  /** At the end of the title: usually a button that adds something. */
  action?: Value;
  /** Rows of a list. */
  rows?: readonly Html[];
  /** What the list says if it has no rows. */
  empty?: string;
  /** Below the rows. */
  body?: Value;
  isDangerous?: boolean;
  /** For a panel that is the whole page: the title is above it already. */
  isTitleHidden?: boolean;
}

/** A part of a section: a title, and rows below each other. */
export function panel({
  id,
  title,
  lead,
  action,
  rows,
  empty,
  body,
  isDangerous,
  isTitleHidden,
}: PanelOptions): Html {
  const buttons = shown(action);
  return html`<section class="${isDangerous ? 'panel danger' : 'panel'}" aria-labelledby="${id}">
    <div class="${isTitleHidden ? 'hidden' : 'panel-head'}">
      <div>
        <h2 id="${id}">${title}</h2>
        ${lead && html`<p class="soft">${lead}</p>`}
      </div>
      ${buttons && html`<div class="actions">${buttons}</div>`}
    </div>
    ${
      rows &&
      (rows.length > 0
        ? html`<ul class="entries">
            ${rows}
          </ul>`
        : empty !== undefined && html`<p class="nothing">${empty}</p>`)
    }
    ${body}
  </section>`;
}

export interface RowOptions {
  icon?: Html | undefined;
  title: Value;
  detail?: Value;
  /** Below the detail: what the user should do. */
  note?: Value;
  /** At the end: buttons. */
  actions?: Value;
}

export function row({ icon, title, detail, note, actions }: RowOptions): Html {
  const buttons = shown(actions);
  return html`<li class="entry">
    ${icon}
    <div class="what">
      <p class="name">${title}</p>
      ${detail && html`<p class="soft">${detail}</p>`} ${note && html`<p class="soft">${note}</p>`}
    </div>
    ${buttons && html`<div class="actions">${buttons}</div>`}
  </li>`;
}

/** Null without any button: an impersonator has none. */
function shown(actions: Value): Html | null {
  const markup = html`${actions}`;
  return markup.text.trim() === '' ? null : markup;
}

export interface LinkButtonOptions {
  /** Below the path of the pages. */
  path: string;
  label: string;
  /** What the button is about, for screen readers: there are several buttons with one label. */
  about?: string | null;
  kind?: 'plain' | 'primary' | 'danger';
}

/** A link that looks like a button: it leads to the form of a change. Empty if the session may not open it. */
export function linkButton(
  { base, isClosed }: Pick<TemplatePage, 'base'> & Partial<Pick<AccountTemplatePage, 'isClosed'>>,
  { path, label, about, kind = 'plain' }: LinkButtonOptions,
): Html {
  if (isClosed?.(path)) return html``;
  return html`<a class="button ${kind}" href="${base}${path}"
    >${label}${about && html`<span class="hidden">: <bdi>${about}</bdi></span>`}</a
  >`;
}

export function badge(text: Value, kind: 'neutral' | 'good' | 'warn' = 'neutral'): Html {
  return html`<span class="badge ${kind}">${text}</span>`;
}

/** The links below a list to its next page and to its first one. */
export function pageLinks({ base, words }: AccountTemplatePage, { first, next }: ListPages): Html | null {
  if (next === null && first === null) return null;
  return html`<p class="more">
    ${next !== null && html`<a href="${base}${next}">${words.showMore}</a>`}
    ${first !== null && html`<a href="${base}${first}">${words.toFirstPage}</a>`}
  </p>`;
}

/** Parts of a line, with a dot between them. */
export function dotted(...parts: Value[]): Html {
  const shown = parts.filter((part) => part !== null && part !== undefined && part !== false && part !== '');
  return html`${shown.map((part, index) => (index === 0 ? part : html` · ${part}`))}`;
}

/** Sentences one after another, as the language separates them. */
export function sentences({ language }: Pick<TemplatePage, 'language'>, ...parts: Value[]): Html {
  const shown = parts.filter((part) => part !== null && part !== undefined && part !== false);
  const gap = /^(ja|zh|yue)\b/.test(language) ? '' : ' ';
  return html`${shown.map((part, index) => [index > 0 && gap, part])}`;
}

/** How long ago something was, such as `2 hours ago`, in the language of the page. The time itself is the title. */
export function ago({ language, now }: Pick<AccountTemplatePage, 'language' | 'now'>, time: Date): Html {
  // The clocks of two processes differ.
  const seconds = Math.max(0, (now.getTime() - time.getTime()) / 1000);
  const [unit, length] = units.find(([, each]) => seconds >= each) ?? (['minute', 60] as const);
  const { relative, time: exactTime } = formatsIn(language);
  const text =
    seconds < 60 ? relative.format(0, 'second') : relative.format(-Math.floor(seconds / length), unit);
  const exact = exactTime.format(time);
  return html`<time datetime="${time.toISOString()}" title="${exact} UTC" data-ago>${text}</time>`;
}

/** In seconds, the longest first. */
const units = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** The day on which something ends, such as `Dec 26`: with its year if it is another one. In UTC, until the script writes it. */
export function day({ language, now }: Pick<AccountTemplatePage, 'language' | 'now'>, time: Date): Html {
  return written(language, time, time.getUTCFullYear() === now.getUTCFullYear() ? 'day' : 'date');
}

/** A time in the language of the page: in UTC, until the script writes it in the viewer's time zone. */
export function when(
  { language }: Pick<TemplatePage, 'language'>,
  time: Date,
  show: 'date' | 'time' = 'date',
): Html {
  return written(language, time, show);
}

function written(language: string, time: Date, show: 'date' | 'day' | 'time'): Html {
  return html`<time datetime="${time.toISOString()}" data-show="${show}"
    >${formatsIn(language)[show].format(time)}${show === 'time' && ' UTC'}</time
  >`;
}

type Formats = ReturnType<typeof createFormats>;

/** By language: creating formats takes longer than the rest of a page. */
const formats = new BoundedMap<string, Formats>(100);

function formatsIn(language: string): Formats {
  const known = formats.get(language);
  if (known) return known;
  const created = createFormats(language);
  formats.set(language, created);
  return created;
}

function createFormats(language: string) {
  const inUtc = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(language, { ...options, timeZone: 'UTC' });
  return {
    relative: new Intl.RelativeTimeFormat(language, { numeric: 'auto' }),
    day: inUtc({ month: 'short', day: 'numeric' }),
    date: inUtc({ dateStyle: 'medium' }),
    time: inUtc({ dateStyle: 'medium', timeStyle: 'short' }),
  };
}
