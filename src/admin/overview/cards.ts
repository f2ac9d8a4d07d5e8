/** The cards of the overview: a chart, its numbers by kind, and the numbers of the chart as a table. */
import type { StatisticsName } from '../../core/support/statistics.js';
import {
  totalOf,
  type StatisticsReport,
  type StatisticsSeries,
} from '../../core/support/statistics-report.js';
import { html, type Html } from '../../html/html.js';
import { barChart, formatted, legend, lineChart, type ChartSeries } from './chart.js';
import { periodHeadings, rangeTitles, shownPeriods } from './periods.js';

interface Card {
  name: StatisticsName;
  title: string;
  /** The heading of the kinds. Without it, each kind is a line of the chart. */
  kind?: string;
  /** What is shown if nothing was counted. Without it, the card is left out. */
  none?: string;
}

const all: readonly Card[] = [
  { name: 'sign_ups', title: 'Sign-ups', kind: 'Method', none: 'No sign-ups' },
  { name: 'sign_ins', title: 'Sign-ins', kind: 'Method', none: 'No sign-ins' },
  { name: 'failed_sign_ins', title: 'Failed sign-ins', kind: 'Reason', none: 'No failed sign-ins' },
  { name: 'active_users', title: 'Active users' },
  { name: 'limits', title: 'Attempts refused by a limit', kind: 'Limit', none: 'No refused attempts' },
  { name: 'mails', title: 'Mails', none: 'No mails' },
  { name: 'text_messages', title: 'Text messages' },
];

export function cards(report: StatisticsReport): Html {
  return html`<div class="charts">${all.map((card) => cardOf(card, report))}</div>`;
}

function cardOf(card: Card, report: StatisticsReport): Html | false {
  const { title, none } = card;
  const own = report.series.filter(({ name }) => name === card.name);
  if (own.length === 0 && none === undefined) return false;
  const body =
    own.length === 0
      ? html`<p class="soft">${none} in ${rangeTitles[report.range]}.</p>`
      : filled(card, own, report);
  return html`<section class="card figure" aria-labelledby="chart-${card.name}">
    <h2 id="chart-${card.name}">${title}</h2>
    ${body}
  </section>`;
}

function filled(
  { name, title, kind }: Card,
  own: readonly StatisticsSeries[],
  { periods, range }: StatisticsReport,
): Html {
  const drawn = kind === undefined ? linesOf(own) : [{ label: title, counts: sumsOf(own) }];
  const shown = shownPeriods(range, periods);
  const chart = {
    id: `figure-${name}`,
    title: `${title} in ${rangeTitles[range]}`,
    description: descriptionOf(drawn, shown),
    periods: shown,
    series: drawn,
  };
  return html`${kind === undefined ? lineChart(chart) : barChart(chart)} ${drawn.length > 1 && legend(drawn)}
    ${kind !== undefined && kinds(kind, own)}
    <details>
      <summary>Numbers of the chart</summary>
      ${numbers(title, periodHeadings[range], shown, drawn)}
    </details>`;
}

const outcomes: Readonly<Record<string, string>> = { sent: 'Sent', failed: 'Failed', '': 'Active users' };

/** Always in the same order, so that the first line is the same on every page. */
function linesOf(own: readonly StatisticsSeries[]): ChartSeries[] {
  return [...own]
    .sort((a, b) => (a.label > b.label ? -1 : 1))
    .map(({ label, counts }) => ({ label: outcomes[label] ?? label, counts }));
}

const sumsOf = (own: readonly StatisticsSeries[]): number[] =>
  (own[0]?.counts ?? []).map((_, index) => own.reduce((sum, { counts }) => sum + (counts[index] ?? 0), 0));

function descriptionOf(drawn: readonly ChartSeries[], shown: readonly { label: string }[]): string {
  const parts = drawn.map(({ label, counts }) => {
    const most = Math.max(...counts);
    return `${label}: at most ${formatted(most)}, at ${shown[counts.indexOf(most)]?.label ?? ''}.`;
  });
  return `${parts.join(' ')} The numbers are in the table below the chart.`;
}

function kinds(heading: string, own: readonly StatisticsSeries[]): Html {
  return html`<table class="numbers">
    <thead>
      <tr>
        <th scope="col">${heading}</th>
        <th scope="col" class="number">Count</th>
      </tr>
    </thead>
    <tbody>
      ${own.map(
        (each) =>
          html`<tr>
            <th scope="row">${each.label === '' ? 'Other' : each.label}</th>
            <td class="number">${formatted(totalOf(each))}</td>
          </tr>`,
      )}
    </tbody>
  </table>`;
}

function numbers(
  title: string,
  heading: string,
  shown: readonly { label: string }[],
  drawn: readonly ChartSeries[],
): Html {
  return html`<table class="numbers">
    <caption class="hidden">
      ${title}
    </caption>
    <thead>
      <tr>
        <th scope="col">${heading}</th>
        ${drawn.map(({ label }) => html`<th scope="col" class="number">${label}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${shown.map(
        ({ label }, index) =>
          html`<tr>
            <th scope="row">${label}</th>
            ${drawn.map(({ counts }) => html`<td class="number">${formatted(counts[index] ?? 0)}</td>`)}
          </tr>`,
      )}
    </tbody>
  </table>`;
}
