/** Whether a series of samples is flat once it has warmed up: the judgement of the soak, and nothing besides. */

export interface Bound {
  /** How much the last third may lie above the middle third: a part of it, plus so much. */
  part: number;
  plus: number;
}

export interface Judgement {
  name: string;
  /** Means of the middle and of the last third; the first third is the warm-up. */
  middle: number;
  last: number;
  /** By how much a straight line through both thirds rises from their beginning to their end. */
  rise: number;
  allowed: number;
  holds: boolean;
}

/** Both ways to grow must stay within the bound. For a rise it is twice as wide: a line spans two thirds, their means lie one apart. */
export function judge(name: string, samples: readonly number[], { part, plus }: Bound): Judgement {
  const third = Math.floor(samples.length / 3);
  const warm = samples.slice(third);
  const middle = mean(samples.slice(third, 2 * third));
  const last = mean(samples.slice(2 * third));
  const rise = slope(warm) * (warm.length - 1);
  const allowed = middle * part + plus;
  // Too few samples, or one that is no number, judge nothing.
  const holds = third >= 2 && last - middle <= allowed && rise <= 2 * allowed;
  return { name, middle, last, rise, allowed, holds };
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
