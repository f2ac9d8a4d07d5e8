/** Interleaved rounds, because absolute figures differ between machines and from minute to minute. */

/** Something that is measured: its name in the results, and a measurement that resolves with a rate per second. */
export interface Target {
  name: string;
  measure: () => Promise<number>;
  /** Runs before the first round. Default: one measurement that is not counted. */
  warmUp?: () => Promise<unknown>;
}

export type Samples = ReadonlyMap<string, readonly number[]>;

/** Warms all targets up, then measures each once per round, in alternating order, so that a slower minute of the machine affects all of them. */
export async function measureInRounds(targets: readonly Target[], rounds: number): Promise<Samples> {
  const samples = new Map<string, number[]>(targets.map(({ name }) => [name, []]));
  for (const { measure, warmUp = measure } of targets) await warmUp();
  for (let round = 0; round < rounds; round += 1) {
    for (const { name, measure } of round % 2 === 0 ? targets : [...targets].reverse()) {
      samples.get(name)?.push(await measure());
    }
  }
  return samples;
}

/** The ratios of the rounds: their median, and the lowest and highest. */
export interface Ratio {
  median: number;
  low: number;
  high: number;
  /** Median rate per second of the target. */
  rate: number;
}

export function ratioOf(samples: Samples, target: string, reference: string): Ratio {
  const rates = samples.get(target) ?? [];
  const ratios = rates.map((rate, round) => rate / (samples.get(reference)?.[round] ?? Number.NaN));
  return { median: median(ratios), low: Math.min(...ratios), high: Math.max(...ratios), rate: median(rates) };
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
}
