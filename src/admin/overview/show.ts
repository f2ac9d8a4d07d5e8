/** The overview: what has happened in the last day, month or year. */
import { statisticsRanges, type StatisticsRange } from '../../core/support/statistics-periods.js';
import { totalOf, type StatisticsReport } from '../../core/support/statistics-report.js';
import { html, type Html } from '../../html/html.js';
import { defineAdminPage, type Call } from '../page.js';
import { cards } from './cards.js';
import { formatted } from './chart.js';
import { csvOf } from './csv.js';
import { rangeTitles } from './periods.js';

const path = '/overview';
const csvPath = `${path}/statistics.csv`;
const rule = { access: 'no-impersonation', action: 'statistics.read' } as const;

export const overviewPage = defineAdminPage({
  path,
  ...rule,
  async show(call) {
    const { base, service } = call;
    const range = rangeOf(call);
    const heading = html`<h1>Overview</h1>`;
    const view = { title: 'Overview', section: 'overview' } as const;
    if (!service.features.statistics)
      return {
        ...view,
        body: html`<div class="heading">${heading}</div>
          ${switchedOff}`,
      };
    const report = await service.statistics.read({ range });
    const body = html`<div class="heading">
        ${heading}
        <p class="count">Times are in UTC</p>
        <div class="buttons">
          <a class="button" href="${base}${csvPath}?range=${range}" download>Download CSV</a>
        </div>
      </div>
      ${ranges(base, range)} ${tiles(report)} ${cards(report)}`;
    return { ...view, body };
  },
});

export const overviewCsv = defineAdminPage({
  path: csvPath,
  ...rule,
  async show(call) {
    if (!call.service.features.statistics) return { to: path };
    const report = await call.service.statistics.read({ range: rangeOf(call) });
    const name = `statistics-${report.range}.csv`;
    return { file: { name, type: 'text/csv; charset=utf-8', content: csvOf(report) } };
  },
});

const rangeOf = ({ query }: Call): StatisticsRange =>
  statisticsRanges.find((range) => range === query.get('range')) ?? 'day';

const switchedOff = html`<div class="empty">
  <h2>Nothing is counted yet</h2>
  <p>
    Set <code>statistics: true</code> in the options of <code>createService</code> to count sign-ups,
    sign-ins, failures, limits, messages and active users from then on.
  </p>
</div>`;

const linkNames: Record<StatisticsRange, string> = { day: '24 hours', month: '30 days', year: '12 months' };

function ranges(base: string, current: StatisticsRange): Html {
  return html`<nav class="ranges" aria-label="Range">
    ${statisticsRanges.map(
      (range) =>
        html`<a href="${base}${path}?range=${range}" ${range === current && html`aria-current="page"`}
          >${linkNames[range]}</a
        >`,
    )}
  </nav>`;
}

function tiles(report: StatisticsReport): Html {
  const { activeUsers, range } = report;
  const total = (name: string) =>
    report.series.reduce((sum, each) => sum + (each.name === name ? totalOf(each) : 0), 0);
  const tile = (label: string, count: number, note: string) =>
    html`<div>
      <dt>${label}</dt>
      <dd><strong>${formatted(count)}</strong> <span class="soft">${note}</span></dd>
    </div>`;
  const inRange = `in ${rangeTitles[range]}`;
  return html`<dl class="tiles">
    ${tile('Active users', activeUsers.day, 'today')} ${tile('Active users', activeUsers.month, 'this month')}
    ${tile('Active users', activeUsers.year, 'this year')} ${tile('Sign-ups', total('sign_ups'), inRange)}
    ${tile('Sign-ins', total('sign_ins'), inRange)}
    ${tile('Failed sign-ins', total('failed_sign_ins'), inRange)}
  </dl>`;
}
