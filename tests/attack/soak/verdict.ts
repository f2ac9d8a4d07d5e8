/** Judges whether a series of samples is flat after its warm-up. */

export interface Bound {
  /** How much the last third may exceed the middle third: a fraction of it, plus a constant. */
  part: number;
  plus: number;
}

export interface Judgement {
  name: string;
  /** Means of the middle and of the last third; the first third is the warm-up. */
  middle: number;
  last: number;
  /** How much a straight line through both thirds rises from beginning to end. */
  rise: number;
  allowed: number;
  isFlat: boolean;
}

/**
 * Requires both measures of growth to be within the bound. For the rise it is twice as wide, because the line spans two thirds
 * while the means are one third apart.
 */
export function judge(name: string, samples: readonly number[], { part, plus }: Bound): Judgement {
  const third = Math.floor(samples.length / 3);
  const warm = samples.slice(third);
  const middle = mean(samples.slice(third, 2 * third));
  const last = mean(samples.slice(2 * third));
  const rise = slope(warm) * (warm.length - 1);
  const allowed = middle * part + plus;
  // Too few samples, or NaN, are never flat.
  const isFlat = third >= 2 && last - middle <= allowed && rise <= 2 * allowed;
  return { name, middle, last, rise, allowed, isFlat };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Least squares, per sample. */
function slope(values: readonly number[]): number {
  const [middleOfTime, middleOfValues] = [(values.length - 1) / 2, mean(values)];
  let [covariance, variance] = [0, 0];
  values.forEach((value, at) => {
    covariance += (at - middleOfTime) * (value - middleOfValues);
    variance += (at - middleOfTime) ** 2;
  });
  return variance === 0 ? 0 : covariance / variance;
}
