/** The statistics by which `npm test -- --timing` decides. */
import { areaUnderCurve, compare, median } from './statistics.js';

/** The definition of the area: compares every pair of times from both lists. */
function byPairs(first: readonly number[], second: readonly number[]): number {
  const scores: number[] = first.flatMap((a) => second.map((b) => (b > a ? 1 : b === a ? 0.5 : 0)));
  return scores.reduce((sum, score) => sum + score, 0) / scores.length;
}

const times = (count: number, from: number) =>
  Array.from({ length: count }, (_, i) => from + ((i * 37) % 101) / 10);

describe('Timing statistics', () => {
  it('returns the middle value as the median, or the mean of the two middle values', () => {
    expect([median([5, 1, 3]), median([4, 1, 3, 2])]).toEqual([3, 2.5]);
  });

  it.each([
    ['disjoint lists', [1, 2, 3], [4, 5, 6], 1],
    ['disjoint lists in reverse order', [4, 5, 6], [1, 2, 3], 0],
    ['equal lists', [1, 2, 3], [1, 2, 3], 0.5],
    ['lists of one value', [7, 7, 7, 7], [7, 7], 0.5],
    ['lists with ties', [1, 2, 2, 3], [2, 3, 3], 9 / 12],
  ])('computes the area under the curve for %s', (_name, first, second, expected) => {
    expect(areaUnderCurve(first, second)).toBeCloseTo(expected, 12);
    expect(areaUnderCurve(first, second)).toBeCloseTo(byPairs(first, second), 12);
  });

  it('computes the area that the definition gives for arbitrary times', () => {
    for (const shift of [0, 0.3, 1, 4]) {
      const [first, second] = [times(60, 10), times(45, 10 + shift)];
      expect(areaUnderCurve(first, second)).toBeCloseTo(byPairs(first, second), 12);
    }
  });

  it('calls two lists uniform if medians are within 3 ms or 10 % and no single guess distinguishes them', () => {
    expect(compare(times(100, 60), times(100, 60.5)).isUniform).toBe(true);
    // Medians within 10 %, but every time of one list above those of the other.
    expect(compare([60, 60.1, 60.2], [61, 61.1, 61.2])).toMatchObject({ auc: 1, isUniform: false });
    // Not distinguishable by one guess, but by the medians.
    expect(compare(times(400, 20), times(400, 23.5))).toMatchObject({ isUniform: false });
    expect(compare([], []).isUniform).toBe(false);
  });

  it('calls a difference of medians that the spread of few times explains chance, and not that of many', () => {
    const wide = (count: number, from: number) => times(count, 0).map((time) => from + 8 * time);
    expect(compare(wide(60, 60), wide(60, 75))).toMatchObject({ isUniform: true });
    expect(compare(wide(2_000, 60), wide(2_000, 75))).toMatchObject({ isUniform: false });
  });
});
