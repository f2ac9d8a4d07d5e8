/** Lists as CSV (RFC 4180), read page by page, so that no list is in memory as a whole. */
import { withoutFormula } from '../core/support/spreadsheet-cell.js';
import { counted } from '../pages-kit/numbers.js';
import { html, type Html } from '../html/html.js';
import type { Call } from './page.js';

/** A spreadsheet with more is of no use, and a download must end. */
const mostRows = 10_000;
const pageSize = 200;

export function csvLine(cells: readonly string[]): string {
  return `${cells.map(cellOf).join(',')}\r\n`;
}

function cellOf(value: string): string {
  const text = withoutFormula(value);
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A page of a list: its rows as cells, and the cursor of the next page. */
export interface CsvPage {
  rows: readonly (readonly string[])[];
  nextCursor: string | null;
}

type ReadPage = (range: { cursor: string | null; limit: number }) => Promise<CsvPage>;

/** Says that a file ends after so many rows, where a list has more than one page. */
export function truncatedNote(
  { language, query, texts }: Pick<Call, 'language' | 'query' | 'texts'>,
  nextCursor: string | null,
): Html | null {
  if (nextCursor === null && !query.has('cursor')) return null;
  return html`<p class="note soft">${texts.audit.firstRows(counted(language, mostRows))}</p>`;
}

/** The last line of a file that ends before the list does. The number of rows is known only when they are sent. */
const truncatedLine = csvLine([
  `svc-auth-truncated: the first ${mostRows} rows; use the filters for the rest`,
]);

/** Reads the first page, so that a refused condition is an error page and not half a file; the others while they are sent. */
export async function csvOf(heading: readonly string[], read: ReadPage): Promise<AsyncIterable<string>> {
  return linesOf(heading, await read({ cursor: null, limit: pageSize }), read);
}

async function* linesOf(heading: readonly string[], first: CsvPage, read: ReadPage): AsyncGenerator<string> {
  yield csvLine(heading);
  let count = 0;
  for (
    let page = first;
    ;
    page = await read({ cursor: page.nextCursor, limit: Math.min(pageSize, mostRows - count) })
  ) {
    yield page.rows.map(csvLine).join('');
    count += page.rows.length;
    if (page.nextCursor === null) return;
    if (count >= mostRows) {
      yield truncatedLine;
      return;
    }
  }
}
