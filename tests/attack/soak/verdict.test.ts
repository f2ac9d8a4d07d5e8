// The verdict of the soak test, on synthetic series: a real run takes ten minutes.
import { judge } from './verdict.js';

const bound = { part: 0.05, plus: 2 };
const series = (count: number, value: (at: number) => number) =>
  Array.from({ length: count }, (_, at) => value(at));
/** Deterministic noise. */
const noise = (at: number) => 8 * Math.sin(at * 7.3);

it.each<[string, (at: number) => number]>([
  ['that is constant', () => 100],
  ['that is noisy', (at) => 100 + noise(at)],
  ['that has warmed up', (at) => (at < 20 ? at * 5 : 100)],
  ['that falls', (at) => 200 - at],
])('judges a series %s as flat', (_name, value) => {
  expect(judge('x', series(60, value), bound).isFlat).toBe(true);
});

it.each<[string, (at: number) => number]>([
  ['that rises steadily', (at) => 100 + at * 0.5],
  ['that rises under noise', (at) => 100 + at * 0.5 + noise(at)],
  ['that rises late', (at) => (at < 50 ? 100 : 100 + (at - 50) * 4)],
  ['that jumps', (at) => (at < 40 ? 100 : 120)],
  ['with a sample that is NaN', (at) => (at === 55 ? Number.NaN : 100)],
])('judges a series %s as growing', (_name, value) => {
  expect(judge('x', series(60, value), bound).isFlat).toBe(false);
});

it('does not judge a series of too few samples as flat', () => {
  expect(judge('x', [1, 1, 1], bound).isFlat).toBe(false);
});
