/** Compares two lists of times by their medians and by how well one guess distinguishes them (Mann–Whitney U test). */

export interface Comparison {
  medians: [number, number];
  /**
   * Absolute difference of the medians, and the allowed one: the largest of 3 ms, 10 % of the smaller median, and what the spread of the
   * times explains.
   */
  difference: number;
  allowed: number;
  /** Probability that a time of the second list exceeds one of the first; a tie counts as half. 0.5: not distinguishable. */
  auc: number;
  isUniform: boolean;
}

const allowedMs = 3;
const allowedShare = 0.1;
/** A difference below four standard errors is chance on a machine with other work, also between times of the same request. */
const allowedErrors = 4;
const allowedAuc: readonly [number, number] = [0.3, 0.7];

export function compare(first: readonly number[], second: readonly number[]): Comparison {
  const medians: [number, number] = [median(first), median(second)];
  const difference = Math.abs(medians[1] - medians[0]);
  const error = Math.hypot(errorOfMedian(first), errorOfMedian(second));
  const allowed = Math.max(allowedMs, allowedShare * Math.min(...medians), allowedErrors * error);
  const auc = areaUnderCurve(first, second);
  // Written so that NaN, from an empty list, is not uniform.
  const isUniform = difference <= allowed && auc >= allowedAuc[0] && auc <= allowedAuc[1];
  return { medians, difference, allowed, auc, isUniform };
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  return sorted.length % 2 === 1
    ? sorted[Math.floor(middle)]!
    : ((sorted[middle - 1] ?? NaN) + (sorted[middle] ?? NaN)) / 2;
}

/** The standard error of the median, from the quartiles, which a few slow responses do not change: of normal times 1.25 σ / √n. */
function errorOfMedian(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const quartile = (share: number) => sorted[Math.round(share * (sorted.length - 1))] ?? NaN;
  return (1.2533 * (quartile(0.75) - quartile(0.25))) / 1.349 / Math.sqrt(sorted.length);
}

/** U / (m n), from the sum of ranks; equal times share the mean of their ranks. */
export function areaUnderCurve(first: readonly number[], second: readonly number[]): number {
  const all = [
    ...first.map((value) => ({ value, isSecond: false })),
    ...second.map((value) => ({ value, isSecond: true })),
  ].sort((a, b) => a.value - b.value);
  let rankSum = 0;
  for (let at = 0; at < all.length;) {
    let end = at;
    while (end < all.length && all[end]!.value === all[at]!.value) end += 1;
    const rank = (at + 1 + end) / 2;
    rankSum += rank * all.slice(at, end).filter(({ isSecond }) => isSecond).length;
    at = end;
  }
  const u = rankSum - (second.length * (second.length + 1)) / 2;
  return u / (first.length * second.length);
}
