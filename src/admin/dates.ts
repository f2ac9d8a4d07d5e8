/** Dates in a page: in UTC, until the script writes them in the viewer's time zone. */
import { html, type Html } from '../html/html.js';

const date = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' });
const time = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });

/** @param show `date`, or `time` for a date with the time of the day. */
export function when(at: Date, show: 'date' | 'time' = 'time'): Html {
  const text = show === 'date' ? date.format(at) : `${time.format(at)} UTC`;
  return html`<time datetime="${at.toISOString()}" data-show="${show}">${text}</time>`;
}
