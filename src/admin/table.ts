/** The table of a list. Roles are written out, because the style sheet shows it as cards on a narrow screen. */
import { html, type Html } from '../html/html.js';
import type { Call } from './page.js';

/** @param label says what the list contains. @param rows with a cell for each heading. */
export function listTable(label: string, headings: readonly string[], rows: readonly Html[]): Html {
  return html`<div class="table-frame">
    <table role="table" aria-label="${label}" class="cards">
      <thead role="rowgroup">
        <tr role="row">
          ${headings.map((heading) => html`<th role="columnheader" scope="col">${heading}</th>`)}
        </tr>
      </thead>
      <tbody role="rowgroup">
        ${rows}
      </tbody>
    </table>
  </div>`;
}

/** For an empty cell. */
export function none({ texts }: Pick<Call, 'texts'>): Html {
  return html`<span class="soft">${texts.none}</span>`;
}
