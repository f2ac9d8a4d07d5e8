/** The parts that the sections of the page of a user have in common. */
import { html, type Html, type Value } from '../../html/html.js';
import type { Call } from '../page.js';
import { pathOf } from '../person.js';
import type { OfferedAction, PagedList, UserRecords } from './records.js';

/** A section with a heading. */
export function card(id: string, title: string, body: Value, action: Value = null): Html {
  return html`<section class="card" aria-labelledby="${id}-heading" id="${id}">
    <div class="card-head">
      <h2 id="${id}-heading">${title}</h2>
      ${action}
    </div>
    ${body}
  </section>`;
}

/** A link to the form of an action, or nothing if `authorize` does not allow it. */
export function actionLink(
  { base }: Call,
  { user, allowed }: UserRecords,
  action: OfferedAction,
  { to, label, about, look = 'quiet' }: { to: string; label: string; about?: string; look?: string },
): Html | false {
  return (
    allowed.has(action) &&
    html`<a class="${look}" href="${base}${pathOf(user.id)}/${to}"
      >${label}${about !== undefined && html`<span class="hidden">: ${about}</span>`}</a
    >`
  );
}

/** A row of a description list: a term, its value, and the link that changes it. */
export function fact(term: string, value: Value, action: Value = null): Html {
  return html`<div class="fact">
    <dt>${term}</dt>
    <dd>${value}</dd>
    <dd class="act">${action}</dd>
  </div>`;
}

/** An entry of a list: a title, details, and the link that ends it. */
export function entry(title: Value, details: Value, action: Value = null): Html {
  return html`<li>
    <div>
      <p class="title">${title}</p>
      <p class="details">${details}</p>
    </div>
    ${action}
  </li>`;
}

/** A list with its empty state, and the links to its other pages. */
export function entries(
  { base, query, texts: { pager } }: Call,
  { user }: UserRecords,
  list: PagedList | null,
  { rows, nextCursor, empty }: { rows: readonly Html[]; nextCursor: string | null; empty: string },
): Html {
  const path = `${base}${pathOf(user.id)}`;
  const isLater = list !== null && query.get(list) !== null;
  return html`${
    rows.length === 0
      ? html`<p class="none">${isLater ? pager.empty : empty}</p>`
      : html`<ul class="entries">
          ${rows}
        </ul>`
  }
  ${
    list !== null &&
    (isLater || nextCursor !== null) &&
    html`<p class="more">
      ${isLater && html`<a href="${path}#${list}">${pager.first}</a>`}
      ${
        nextCursor !== null &&
        html`<a href="${path}?${list}=${encodeURIComponent(nextCursor)}#${list}">${pager.next}</a>`
      }
    </p>`
  }`;
}
