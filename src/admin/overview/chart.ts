/** Charts as SVG: bars for one series, lines for several. The numbers are in a table too, so no one depends on the drawing. */
import { BoundedMap } from '../../core/support/bounded-map.js';
import { html, type Html } from '../../html/html.js';
import { counted } from '../../pages-kit/numbers.js';

export interface ChartSeries {
  label: string;
  counts: readonly number[];
}

export interface Chart {
  /** Unique on the page. */
  id: string;
  /** Of the page. */
  language: string;
  title: string;
  /** What the drawing shows, in a sentence. */
  description: string;
  /** One for each count. */
  periods: readonly { label: string; tick: string | null }[];
  series: readonly ChartSeries[];
}

const width = 340;
const height = 170;
const area = { left: 36, right: 336, top: 10, bottom: 142 };

const compactFormats = new BoundedMap<string, Intl.NumberFormat>(50);

/** For the axis, such as `1.2K`. */
function compact(language: string, count: number): string {
  const format =
    compactFormats.get(language) ??
    new Intl.NumberFormat(language, { notation: 'compact', maximumFractionDigits: 1 });
  compactFormats.set(language, format);
  return format.format(count);
}

/** The style sheet gives each of these its own dashes, so that lines differ without their colors. */
const styles = ['first', 'second', 'third'];

export function barChart(chart: Chart): Html {
  const [{ counts } = { counts: [] }] = chart.series;
  const top = topOf(counts);
  const slot = (area.right - area.left) / Math.max(counts.length, 1);
  const bars = counts.map((count, index) => {
    const y = yOf(count, top);
    const x = round(area.left + index * slot + slot * 0.14);
    // The whole column has the title: a low bar is hard to point at.
    return html`<g class="bar">
      <title>${chart.periods[index]?.label}: ${counted(chart.language, count)}</title>
      <rect
        class="column"
        x="${x}"
        y="${area.top}"
        width="${round(slot * 0.72)}"
        height="${area.bottom - area.top}"
      />
      ${count > 0 && html`<rect class="fill" x="${x}" y="${y}" width="${round(slot * 0.72)}" height="${round(area.bottom - y)}" rx="1.5" />`}
    </g>`;
  });
  return frame(chart, top, slot, html`${bars}`);
}

export function lineChart(chart: Chart): Html {
  const top = topOf(chart.series.flatMap(({ counts }) => counts));
  const slot = (area.right - area.left) / Math.max(chart.periods.length, 1);
  const xOf = (index: number) => round(area.left + (index + 0.5) * slot);
  const lines = chart.series.map(({ counts, label }, index) => {
    const points = counts.map((count, at) => `${xOf(at)},${yOf(count, top)}`).join(' ');
    const dots = counts.map(
      (count, at) =>
        html`<circle cx="${xOf(at)}" cy="${yOf(count, top)}" r="2.5">
          <title>${chart.periods[at]?.label}, ${label}: ${counted(chart.language, count)}</title>
        </circle>`,
    );
    return html`<g class="line ${styles[index % styles.length]}"><polyline points="${points}" />${dots}</g>`;
  });
  return frame(chart, top, slot, html`${lines}`);
}

/** The names of the lines, each with a piece of it. */
export function legend(series: readonly ChartSeries[]): Html {
  return html`<ul class="legend">
    ${series.map(
      ({ label }, index) =>
        html`<li>
          <svg class="line ${styles[index % styles.length]}" viewBox="0 0 24 8" aria-hidden="true">
            <polyline points="0,4 24,4" /></svg
          >${label}
        </li>`,
    )}
  </ul>`;
}

function frame(
  { id, language, title, description, periods }: Chart,
  top: number,
  slot: number,
  drawing: Html,
): Html {
  const lines = [0, top / 2, top].map((count) => {
    const y = yOf(count, top);
    const shown = compact(language, count);
    return html`<line class="grid" x1="${area.left}" y1="${y}" x2="${area.right}" y2="${y}" />
      <text class="axis" x="${area.left - 6}" y="${y + 4}" text-anchor="end">${shown}</text>`;
  });
  const ticks = periods.map(({ tick }, index) => {
    if (tick === null) return false;
    const x = round(area.left + (index + 0.5) * slot);
    return html`<text class="axis" x="${x}" y="${area.bottom + 18}" text-anchor="middle">${tick}</text>`;
  });
  return html`<svg
    class="chart"
    role="img"
    viewBox="0 0 ${width} ${height}"
    aria-labelledby="${id}-title"
    aria-describedby="${id}-description"
  >
    <title id="${id}-title">${title}</title>
    <desc id="${id}-description">${description}</desc>
    ${lines}${drawing}${ticks}
  </svg>`;
}

const yOf = (count: number, top: number) => round(area.bottom - (count / top) * (area.bottom - area.top));

const round = (value: number) => Math.round(value * 10) / 10;

/** The smallest of 2, 4, 6, 10, 20, 40, 60, 100, … that no count is above: its half is a whole number. */
export function topOf(counts: readonly number[]): number {
  const most = Math.max(2, ...counts);
  for (let unit = 1; ; unit *= 10) {
    const top = [2, 4, 6, 10].find((factor) => factor * unit >= most);
    if (top !== undefined) return top * unit;
  }
}
