/** Tools of the model tests: commands made of functions, a model of limits, and outcomes as strings. */
import fc from 'fast-check';
import { isServiceError } from 'svc-auth';
import { replaySteps } from './pass.js';

const minute = 60_000;
export const day = 24 * 60 * minute;

/** A step that the model predicts and the service executes: the outcomes must be equal. */
export interface Step<Model, Real> {
  name: string;
  /** Whether the step is taken in this state. Default: in every one. */
  applies?: (model: Model) => boolean;
  /** Returns the expected outcome, and updates the model. */
  predict: (model: Model) => unknown;
  execute: (real: Real) => unknown;
}

/** Several steps in a row, which chance alone would seldom generate. */
export const series = <Model, Real>(
  name: string,
  steps: readonly Step<Model, Real>[],
): Step<Model, Real> => ({
  name,
  predict: (model) => steps.map((each) => each.predict(model)),
  async execute(real) {
    const outcomes: unknown[] = [];
    for (const each of steps) outcomes.push(await each.execute(real));
    return outcomes;
  },
});

export class Command<Model extends object, Real> implements fc.AsyncCommand<Model, Real> {
  constructor(private readonly step: Step<Model, Real>) {}

  check(model: Readonly<Model>): boolean {
    return this.step.applies?.(model) ?? true;
  }

  async run(model: Model, real: Real): Promise<void> {
    const expected = this.step.predict(model);
    expect({ [this.step.name]: await this.step.execute(real) }).toEqual({ [this.step.name]: expected });
  }

  toString(): string {
    return this.step.name;
  }
}

/** At most `max` hits in a window that starts with the first one; a hit that exceeds it is not counted. */
export class Window {
  private count = 0;
  private endsAt = -Infinity;

  constructor(
    private readonly max: number,
    private readonly ms: number,
  ) {}

  hit(now: number): void {
    const isOver = this.endsAt <= now;
    this.count = isOver ? 1 : this.count + 1;
    if (isOver) this.endsAt = now + this.ms;
  }

  refund(): void {
    this.count -= 1;
  }

  reset(): void {
    this.count = 0;
  }

  get left(): number {
    return this.max - this.count;
  }

  waitFrom(now: number): number {
    return this.left < 0 ? this.endsAt - now : 0;
  }

  /** Returns how long the next hit has to wait. */
  waitOfNext(now: number): number {
    return now < this.endsAt && this.left <= 0 ? this.endsAt - now : 0;
  }

  /** Hits all windows and returns 0; if one is exceeded, hits none and returns how long to wait. */
  static consume(windows: readonly Window[], now: number): number {
    windows.forEach((each) => each.hit(now));
    const wait = Math.max(...windows.map((each) => each.waitFrom(now)));
    if (wait > 0) windows.forEach((each) => each.refund());
    return wait;
  }
}

/** At most `max` hits, and beyond them one at a time after a wait that doubles. Resets after `ms` without a hit. */
export class GrowingWait {
  private count = 0;
  private lastAt = -Infinity;

  constructor(
    private readonly max: number,
    private readonly firstMs: number,
    private readonly longestMs: number,
    private readonly ms: number,
  ) {}

  hit(now: number): void {
    this.count = now >= this.lastAt + this.ms ? 1 : this.count + 1;
    this.lastAt = now;
  }

  refund(): void {
    this.count -= 1;
  }

  reset(): void {
    this.count = 0;
  }

  waitFrom(now: number): number {
    if (now >= this.lastAt + this.ms || this.count < this.max) return 0;
    const wait = Math.min(this.firstMs * 2 ** (this.count - this.max), this.longestMs);
    return Math.max(0, this.lastAt + wait - now);
  }
}

/** Returns `ok`, or the error code with its number of attempts or its wait. */
export async function outcomeOf(call: () => unknown): Promise<unknown> {
  try {
    await call();
    return 'ok';
  } catch (error) {
    if (!isServiceError(error)) throw error;
    const { attemptsRemaining, retryAfterMs } = error as unknown as Record<string, number | undefined>;
    const detail = attemptsRemaining ?? retryAfterMs;
    return detail === undefined ? error.code : `${error.code} ${detail}`;
  }
}

/** Delays around the ends of windows and lifetimes, and one millisecond before and after each. */
export const anyDelay = (...edges: number[]): fc.Arbitrary<number> =>
  fc.oneof(
    fc.nat({ max: 2_000 }),
    fc
      .constantFrom(1000, 30_000, 5 * minute, 10 * minute, 15 * minute, day, ...edges)
      .chain((ms) => fc.constantFrom(ms - 1, ms, ms + 1)),
  );

/** Generates up to `maxCommands` of these steps. */
export const commandsOf = <Model extends object, Real>(
  steps: fc.Arbitrary<Step<Model, Real>>[],
  maxCommands = 40,
) =>
  fc.commands(
    steps.map((each) => each.map((step): fc.AsyncCommand<Model, Real> => new Command(step))),
    { maxCommands, size: 'max', replayPath: replaySteps },
  );
