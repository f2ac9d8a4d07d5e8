/** Tables of the results, for the terminal, for Markdown and between the markers of a page. */
import { readFile, writeFile } from 'node:fs/promises';
import { loadLabels, type Load, type Result } from './figures.js';
import type { Weight } from './weight.js';

/** A table and its place: `<!-- bench:id -->` and `<!-- /bench:id -->` in a page. */
export interface Table {
  id: string;
  caption: string;
  head: readonly string[];
  rows: readonly (readonly string[])[];
}

const order = Object.keys(loadLabels) as Load[];
const missing = '–';
const perSecond = (rate: number) => `${Math.round(rate).toLocaleString('en-US')}/s`;

/** Every session check of every variant, at each number of connections. */
export function sessionTable(results: readonly Result[], caption: string): Table {
  const shown = results.filter(({ load }) =>
    ['session', 'protected', 'accessToken', 'stateless'].includes(load),
  );
  return perConnections('sessions', 'Variant', shown, caption);
}

/** Every load on every database. */
export function databaseTable(results: readonly Result[], caption: string): Table {
  return perConnections('databases', 'Database', results, caption);
}

function perConnections(id: string, subject: string, results: readonly Result[], caption: string): Table {
  const sorted = [...results].sort((a, b) => order.indexOf(a.load) - order.indexOf(b.load));
  const rows = sorted
    .filter(({ connections }) => connections === 16)
    .map((row) => [
      loadLabels[row.load],
      row.subject,
      row.reference,
      ...[1, 16, 64].map((connections) =>
        withRange(
          sorted.find(
            (each) =>
              each.load === row.load && each.subject === row.subject && each.connections === connections,
          ),
        ),
      ),
      perSecond(row.ratio.rate),
    ]);
  const columns = ['1 connection', '16 connections', '64 connections', 'Rate at 16'];
  return { id, caption, head: ['Measured', subject, 'Compared with', ...columns], rows };
}

/** Login, sign-up and codes. */
export function signInTable(results: readonly Result[], caption: string): Table {
  const rows = results
    .filter(({ load }) => load === 'login' || load === 'signUp' || load === 'code')
    .map((result) => [
      loadLabels[result.load],
      result.subject,
      result.reference,
      withRange(result),
      perSecond(result.ratio.rate),
    ]);
  const head = ['Measured', 'Variant', 'Compared with', '16 connections', 'Rate'];
  return { id: 'sign-ins', caption, head, rows };
}

export function growthTable(results: readonly Result[], users: number, caption: string): Table {
  const rows = results.map((result) => [
    loadLabels[result.load],
    withRange(result),
    perSecond(result.ratio.rate),
  ]);
  const count = users.toLocaleString('en-US');
  return { id: 'growth', caption, head: ['Measured', `${count} users : 1,000 users`, 'Rate'], rows };
}

export function weightTable(weights: readonly Weight[], caption: string): Table {
  const rows = weights.map((weight) => [
    weight.label,
    String(weight.packages),
    `${weight.megabytes.toFixed(1)} MB`,
    `${weight.importMs.toFixed(0)} ms`,
    `${weight.readyMs.toFixed(0)} ms`,
    `${weight.memoryMb.toFixed(0)} MB`,
  ]);
  const head = ['Library', 'Packages', 'Installed', 'Import', 'Import, create and connect', 'Memory'];
  return { id: 'weight', caption, head, rows };
}

/** One column per library. Session checks are measured at 1, 16 and 64 connections, the rest at 16. */
export function peerTable(results: readonly Result[], weights: readonly Weight[], caption: string): Table {
  const names = [...results.map(({ subject }) => subject), ...weights.map(({ label }) => label)];
  const libraries = [...new Set(names)];
  const ratios = order.map((load) => [
    loadLabels[load],
    results.find((result) => result.load === load)?.reference ?? '',
    ...libraries.map((library) =>
      results
        .filter((result) => result.load === load && result.subject === library)
        .map(({ ratio }) => ratio.median.toFixed(2))
        .join(' / '),
    ),
  ]);
  const weigh = (label: string, format: (weight: Weight) => string) => [
    label,
    '',
    ...libraries.map((library) => {
      const weight = weights.find((each) => each.label === library);
      return weight ? format(weight) : '';
    }),
  ];
  const rows = [
    ...ratios,
    weigh('Installed', ({ megabytes, packages }) => `${megabytes.toFixed(1)} MB, ${packages} packages`),
    weigh('Import', ({ importMs }) => `${importMs.toFixed(0)} ms`),
    weigh('Import, create and connect', ({ readyMs }) => `${readyMs.toFixed(0)} ms`),
  ];
  const isMeasured = ([, , ...cells]: readonly string[]) => cells.some((cell) => cell !== '');
  return {
    id: 'peers',
    caption,
    head: ['Measured', 'Compared with', ...libraries],
    rows: rows
      .filter(isMeasured)
      .map((row) => [...row.slice(0, 2), ...row.slice(2).map((cell) => cell || missing)]),
  };
}

/** Five rows of the comparison, at 16 connections, for the README. */
export function readmeTable(results: readonly Result[], weights: readonly Weight[]): Table {
  const loads: readonly Load[] = ['session', 'protected', 'login', 'code'];
  const shown = results.filter(({ load, connections }) => connections === 16 && loads.includes(load));
  const { head, rows } = peerTable(shown, weights, '');
  return { id: 'readme', caption: '', head, rows: rows.filter(([label]) => !label?.startsWith('Import')) };
}

export function toText({ caption, head, rows }: Table): string {
  const plain = [head, ...rows].map((row) => row.map((cell) => cell.replaceAll('`', '')));
  const widths = head.map((_, column) => Math.max(...plain.map((row) => row[column]?.length ?? 0)));
  const lines = plain.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  return [caption, '', ...lines].join('\n');
}

export function toMarkdown({ caption, head, rows }: Table): string {
  const lines = [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`);
  return [...lines, ...(caption ? ['', caption] : [])].join('\n');
}

/** Replaces the tables between the markers of a page; a table without markers is not for this page. */
export async function writeTables(page: URL, tables: readonly Table[]): Promise<void> {
  let text = await readFile(page, 'utf8');
  for (const table of tables) {
    const [start, end] = [`<!-- bench:${table.id} -->`, `<!-- /bench:${table.id} -->`];
    const [before, rest] = [text.split(start)[0], text.split(end)[1]];
    if (text.includes(start) && rest !== undefined) {
      text = `${before}${start}\n${toMarkdown(table)}\n${end}${rest}`;
    }
  }
  await writeFile(page, text);
}

function withRange(result: Result | undefined): string {
  if (!result) return missing;
  const { median, low, high } = result.ratio;
  return `${median.toFixed(2)} (${low.toFixed(2)}–${high.toFixed(2)})`;
}
