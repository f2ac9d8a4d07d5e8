// The judgement of the soak, which takes ten minutes to be seen at work otherwise.
import { judge } from './verdict.js';

const bound = { part: 0.05, plus: 2 };
const series = (count: number, value: (at: number) => number) =>
  Array.from({ length: count }, (_, at) => value(at));
/** Noise that is the same at every run. */
const noise = (at: number) => 8 * Math.sin(at * 7.3);

it.each<[string, (at: number) => number]>([
  ['that does not move', () => 100],
  ['that is noisy', (at) => 100 + noise(at)],
  ['that has warmed up', (at) => (at < 20 ? at * 5 : 100)],
  ['that falls', (at) => 200 - at],
])('a series %s is flat', (_name, value) => {
  expect(judge('x', series(60, value), bound).holds).toBe(true);
});

it.each<[string, (at: number) => number]>([
  ['that rises by little and little', (at) => 100 + at * 0.5],
  ['that rises under noise', (at) => 100 + at * 0.5 + noise(at)],
  ['that rises late', (at) => (at < 50 ? 100 : 100 + (at - 50) * 4)],
  ['that jumps', (at) => (at < 40 ? 100 : 120)],
  ['with a sample that is no number', (at) => (at === 55 ? Number.NaN : 100)],
])('a series %s is not', (_name, value) => {
  expect(judge('x', series(60, value), bound).holds).toBe(false);
});

it('too few samples say nothing, so they do not hold', () => {
  expect(judge('x', [1, 1, 1], bound).holds).toBe(false);
});
