/** The page that says what has happened to each line of a list. */
import { html, type Html } from '../../html/html.js';
import type { Call, View } from '../page.js';
import { trailToUsers } from '../person.js';
import { listTable } from '../table.js';

interface Results {
  title: string;
  /** What has happened in all. */
  text: string;
  /** What the list is, for screen readers. */
  label: string;
  /** Above the lines. */
  heading: string;
  lines: readonly { who: Html; outcome: string }[];
  /** What can be done next, apart from the way back. */
  next?: Html | false;
}

export function resultPage(
  { base, texts }: Call,
  { title, text, label, heading, lines, next = false }: Results,
): View {
  const { result } = texts.operations.bulk;
  const rows = lines.map(
    ({ who, outcome }) =>
      html`<tr role="row">
        <td role="cell" class="who">${who}</td>
        <td role="cell" data-label="${result}">${outcome}</td>
      </tr>`,
  );
  const body = html`<div class="heading"><h1>${title}</h1></div>
    <p class="flash" role="status">${text}</p>
    ${listTable(label, [heading, result], rows)}
    <div class="buttons">${next}<a class="button" href="${base}/users">${texts.errors.toUsers}</a></div>`;
  return { title, trail: trailToUsers(texts), body };
}
