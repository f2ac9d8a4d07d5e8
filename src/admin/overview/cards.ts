/** The cards of the overview: a chart, its numbers by kind, and the numbers of the chart as a table. */
import type { StatisticsName } from '../../core/support/statistics.js';
import {
  totalOf,
  type StatisticsReport,
  type StatisticsSeries,
} from '../../core/support/statistics-report.js';
import { html, type Html } from '../../html/html.js';
import type { StatisticsRange } from '../../core/support/statistics-periods.js';
import { counted } from '../../pages-kit/numbers.js';
import type { Call } from '../page.js';
import type { AdminTexts } from '../texts/texts.js';
import { barChart, legend, lineChart, type ChartSeries } from './chart.js';
import { shownPeriods } from './periods.js';

type Viewer = Pick<Call, 'language' | 'texts'>;

interface Card {
  name: StatisticsName;
  /** The heading of the kinds. Without it, each kind is a line of the chart. */
  kind?: 'limit' | 'method' | 'reasonLabel';
  /** What is shown if nothing was counted. Without it, the card is left out. */
  none?: keyof AdminTexts['overview']['none'];
}

const all: readonly Card[] = [
  { name: 'sign_ups', kind: 'method', none: 'sign_ups' },
  { name: 'sign_ins', kind: 'method', none: 'sign_ins' },
  { name: 'failed_sign_ins', kind: 'reasonLabel', none: 'failed_sign_ins' },
  { name: 'active_users' },
  { name: 'limits', kind: 'limit', none: 'limits' },
  { name: 'mails', none: 'mails' },
  { name: 'text_messages' },
];

export function cards(viewer: Viewer, report: StatisticsReport): Html {
  return html`<div class="charts">${all.map((card) => cardOf(viewer, card, report))}</div>`;
}

function cardOf(viewer: Viewer, card: Card, report: StatisticsReport): Html | false {
  const { overview } = viewer.texts;
  const { none } = card;
  const own = report.series.filter(({ name }) => name === card.name);
  if (own.length === 0 && none === undefined) return false;
  const body =
    own.length === 0
      ? html`<p class="soft">
          ${none && overview.noneInRange(overview.none[none], overview.inRange[report.range])}
        </p>`
      : filled(viewer, card, own, report);
  return html`<section class="card figure" aria-labelledby="chart-${card.name}">
    <h2 id="chart-${card.name}">${overview.cards[card.name]}</h2>
    ${body}
  </section>`;
}

function filled(
  viewer: Viewer,
  { name, kind }: Card,
  own: readonly StatisticsSeries[],
  { periods, range }: StatisticsReport,
): Html {
  const { language, texts } = viewer;
  const { overview } = texts;
  const title = overview.cards[name];
  const drawn = kind === undefined ? linesOf(texts, own) : [{ label: title, counts: sumsOf(own) }];
  const shown = shownPeriods(language, range, periods);
  const chart = {
    id: `figure-${name}`,
    language,
    title: overview.titleInRange(title, overview.inRange[range]),
    description: descriptionOf(viewer, drawn, shown),
    periods: shown,
    series: drawn,
  };
  return html`${kind === undefined ? lineChart(chart) : barChart(chart)} ${drawn.length > 1 && legend(drawn)}
    ${kind !== undefined && kinds(viewer, overview[kind], own)}
    <details>
      <summary>${overview.numbers}</summary>
      ${numbers(viewer, title, overview[periodNames[range]], shown, drawn)}
    </details>`;
}

const periodNames = { day: 'hour', month: 'day', year: 'month' } as const satisfies Record<
  StatisticsRange,
  keyof AdminTexts['overview']
>;

/** Always in the same order, so that the first line is the same on every page. */
function linesOf({ overview }: AdminTexts, own: readonly StatisticsSeries[]): ChartSeries[] {
  const { cards: names, failed, sent } = overview;
  const labels: Readonly<Record<string, string>> = { sent, failed, '': names.active_users };
  return [...own]
    .sort((a, b) => (a.label > b.label ? -1 : 1))
    .map(({ label, counts }) => ({ label: labels[label] ?? label, counts }));
}

const sumsOf = (own: readonly StatisticsSeries[]): number[] =>
  (own[0]?.counts ?? []).map((_, index) => own.reduce((sum, { counts }) => sum + (counts[index] ?? 0), 0));

function descriptionOf(
  { language, texts: { overview } }: Viewer,
  drawn: readonly ChartSeries[],
  shown: readonly { label: string }[],
): string {
  const parts = drawn.map(({ label, counts }) => {
    const most = Math.max(...counts);
    return overview.most(label, counted(language, most), shown[counts.indexOf(most)]?.label ?? '');
  });
  return [...parts, overview.below].join(' ');
}

function kinds(
  { language, texts: { overview } }: Viewer,
  heading: string,
  own: readonly StatisticsSeries[],
): Html {
  return html`<table class="numbers">
    <thead>
      <tr>
        <th scope="col">${heading}</th>
        <th scope="col" class="number">${overview.count}</th>
      </tr>
    </thead>
    <tbody>
      ${own.map(
        (each) =>
          html`<tr>
            <th scope="row">${each.label === '' ? overview.other : each.label}</th>
            <td class="number">${counted(language, totalOf(each))}</td>
          </tr>`,
      )}
    </tbody>
  </table>`;
}

function numbers(
  { language }: Viewer,
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
            ${drawn.map(({ counts }) => html`<td class="number">${counted(language, counts[index] ?? 0)}</td>`)}
          </tr>`,
      )}
    </tbody>
  </table>`;
}
