/** The measure that `npm run test:timing` judges by. */
import { areaUnderCurve, compare, median } from './statistics.js';

/** The definition itself: every pair of one time of each list. */
function byPairs(first: readonly number[], second: readonly number[]): number {
  const scores: number[] = first.flatMap((a) => second.map((b) => (b > a ? 1 : b === a ? 0.5 : 0)));
  return scores.reduce((sum, score) => sum + score, 0) / scores.length;
}

const times = (count: number, from: number) =>
  Array.from({ length: count }, (_, i) => from + ((i * 37) % 101) / 10);

describe('two lists of times', () => {
  it('have the middle as their median, of an even number the mean of the two in the middle', () => {
    expect([median([5, 1, 3]), median([4, 1, 3, 2])]).toEqual([3, 2.5]);
  });

  it.each([
    ['that are apart', [1, 2, 3], [4, 5, 6], 1],
    ['the other way round', [4, 5, 6], [1, 2, 3], 0],
    ['that are equal', [1, 2, 3], [1, 2, 3], 0.5],
    ['of one time', [7, 7, 7, 7], [7, 7], 0.5],
    ['with ties', [1, 2, 2, 3], [2, 3, 3], 9 / 12],
  ])('%s have this area under the curve', (_name, first, second, expected) => {
    expect(areaUnderCurve(first, second)).toBeCloseTo(expected, 12);
    expect(areaUnderCurve(first, second)).toBeCloseTo(byPairs(first, second), 12);
  });

  it('have the area that the definition says, whatever is in them', () => {
    for (const shift of [0, 0.3, 1, 4]) {
      const [first, second] = [times(60, 10), times(45, 10 + shift)];
      expect(areaUnderCurve(first, second)).toBeCloseTo(byPairs(first, second), 12);
    }
  });

  it('are uniform within 3 ms or a tenth, and where no guess could tell them', () => {
    expect(compare(times(100, 60), times(100, 60.5)).isUniform).toBe(true);
    // 10 %, and every time of one list above those of the other.
    expect(compare([60, 60.1, 60.2], [61, 61.1, 61.2])).toMatchObject({ auc: 1, isUniform: false });
    // Nobody could tell by one guess, but by the medians.
    expect(compare([1, 1, 9, 9, 9], [1, 1, 1, 9, 9])).toMatchObject({ isUniform: false });
    expect(compare([], []).isUniform).toBe(false);
  });
});
