/** Dates in a page: in the language and the time zone of the viewer. */
import { BoundedMap } from '../core/support/bounded-map.js';
import { html, type Html } from '../html/html.js';
import type { Call } from './page.js';

type Formats = ReturnType<typeof createFormats>;

/** By language and zone: creating formats takes longer than the rest of a page. */
const formats = new BoundedMap<string, Formats>(200);

function createFormats(language: string, timeZone: string) {
  return {
    date: new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeZone }),
    time: new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short', timeZone }),
  };
}

function formatsIn(language: string, zone: string): Formats {
  const key = `${language} ${zone}`;
  const known = formats.get(key);
  if (known) return known;
  const created = createFormats(language, zone);
  formats.set(key, created);
  return created;
}

/** @param show `date`, or `time` for a date with the time of the day. */
export function when(
  { language, zone }: Pick<Call, 'language' | 'zone'>,
  at: Date,
  show: 'date' | 'time' = 'time',
): Html {
  const text = formatsIn(language, zone)[show].format(at);
  const isNamed = show === 'time' && zone === 'UTC';
  return html`<time datetime="${at.toISOString()}" data-show="${show}">${text}${isNamed && ' UTC'}</time>`;
}
