/** The overview: what has happened in the last day, month or year. */
import { statisticsRanges, type StatisticsRange } from '../../core/support/statistics-periods.js';
import { totalOf, type StatisticsReport } from '../../core/support/statistics-report.js';
import { html, type Html } from '../../html/html.js';
import { counted } from '../../pages-kit/numbers.js';
import { defineAdminPage, type Call } from '../page.js';
import { cards } from './cards.js';
import { csvOf } from './csv.js';

const path = '/overview';
const csvPath = `${path}/statistics.csv`;
const rule = { access: 'no-impersonation', action: 'statistics.read' } as const;

export const overviewPage = defineAdminPage({
  path,
  ...rule,
  async show(call) {
    const { base, service, texts } = call;
    const { overview: words, sections } = texts;
    const range = rangeOf(call);
    const heading = html`<h1>${sections.overview}</h1>`;
    const view = { title: sections.overview, section: 'overview' } as const;
    if (!service.features.statistics)
      return {
        ...view,
        body: html`<div class="heading">${heading}</div>
          ${switchedOff(call)}`,
      };
    const report = await service.statistics.read({ range });
    const body = html`<div class="heading">
        ${heading}
        <p class="count">${words.utc}</p>
        <div class="buttons">
          <a class="button" href="${base}${csvPath}?range=${range}" download>${words.download}</a>
        </div>
      </div>
      ${ranges(call, range)} ${tiles(call, report)} ${cards(call, report)}`;
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

const switchedOff = ({ texts: { overview } }: Call) =>
  html`<div class="empty">
    <h2>${overview.off}</h2>
    <p>${overview.offLead(html`<code>statistics: true</code>`, html`<code>createService</code>`)}</p>
  </div>`;

function ranges({ base, texts: { overview } }: Call, current: StatisticsRange): Html {
  return html`<nav class="ranges" aria-label="${overview.range}">
    ${statisticsRanges.map(
      (range) =>
        html`<a href="${base}${path}?range=${range}" ${range === current && html`aria-current="page"`}
          >${overview.ranges[range]}</a
        >`,
    )}
  </nav>`;
}

function tiles({ language, texts: { overview } }: Call, report: StatisticsReport): Html {
  const { cards: names } = overview;
  const { activeUsers, range } = report;
  const total = (name: string) =>
    report.series.reduce((sum, each) => sum + (each.name === name ? totalOf(each) : 0), 0);
  const tile = (label: string, count: number, note: string) =>
    html`<div>
      <dt>${label}</dt>
      <dd><strong>${counted(language, count)}</strong> <span class="soft">${note}</span></dd>
    </div>`;
  const inRange = overview.inRange[range];
  return html`<dl class="tiles">
    ${tile(names.active_users, activeUsers.day, overview.today)}
    ${tile(names.active_users, activeUsers.month, overview.thisMonth)}
    ${tile(names.active_users, activeUsers.year, overview.thisYear)}
    ${tile(names.sign_ups, total('sign_ups'), inRange)} ${tile(names.sign_ins, total('sign_ins'), inRange)}
    ${tile(names.failed_sign_ins, total('failed_sign_ins'), inRange)}
  </dl>`;
}
