/** What the state machines are tried with: commands from functions, a model of limits, and answers as words. */
import fc from 'fast-check';
import { isServiceError } from 'svc-auth';
import { replaySteps } from './pass.js';

const minute = 60_000;
export const day = 24 * 60 * minute;

/** A step that the model foretells and the service takes: the answers must be the same. */
export interface Step<Model, Real> {
  name: string;
  /** The answer there must be; the model moves on. */
  foretell: (model: Model) => unknown;
  take: (real: Real) => unknown;
}

/** Several in a row, which chance alone would seldom draw. */
export const series = <Model, Real>(
  name: string,
  steps: readonly Step<Model, Real>[],
): Step<Model, Real> => ({
  name,
  foretell: (model) => steps.map((each) => each.foretell(model)),
  async take(real) {
    const answers: unknown[] = [];
    for (const each of steps) answers.push(await each.take(real));
    return answers;
  },
});

export class Command<Model extends object, Real> implements fc.AsyncCommand<Model, Real> {
  constructor(private readonly step: Step<Model, Real>) {}

  check(): boolean {
    return true;
  }

  async run(model: Model, real: Real): Promise<void> {
    const foretold = this.step.foretell(model);
    expect({ [this.step.name]: await this.step.take(real) }).toEqual({ [this.step.name]: foretold });
  }

  toString(): string {
    return this.step.name;
  }
}

/** At most `max` in a window, which begins with the first; and whoever exceeds it is not counted. */
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

  forget(): void {
    this.count = 0;
  }

  get left(): number {
    return this.max - this.count;
  }

  waitFrom(now: number): number {
    return this.left < 0 ? this.endsAt - now : 0;
  }

  /** How long the next hit has to wait. */
  waitOfNext(now: number): number {
    return now < this.endsAt && this.left <= 0 ? this.endsAt - now : 0;
  }

  /** Hits them all; where one is exceeded none, and how long to wait. */
  static charge(windows: readonly Window[], now: number): number {
    windows.forEach((each) => each.hit(now));
    const wait = Math.max(...windows.map((each) => each.waitFrom(now)));
    if (wait > 0) windows.forEach((each) => each.refund());
    return wait;
  }
}

/** At most `max`, and beyond them one at a time, after a wait that doubles. Forgotten when there was none for `ms`. */
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

  forget(): void {
    this.count = 0;
  }

  waitFrom(now: number): number {
    if (now >= this.lastAt + this.ms || this.count < this.max) return 0;
    const wait = Math.min(this.firstMs * 2 ** (this.count - this.max), this.longestMs);
    return Math.max(0, this.lastAt + wait - now);
  }
}

/** `ok`, or the code with what the error says besides. */
export async function answerOf(call: () => unknown): Promise<unknown> {
  try {
    await call();
    return 'ok';
  } catch (error) {
    if (!isServiceError(error)) throw error;
    const { attemptsRemaining, retryAfterMs } = error as unknown as Record<string, number | undefined>;
    const more = attemptsRemaining ?? retryAfterMs;
    return more === undefined ? error.code : `${error.code} ${more}`;
  }
}

/** Times that matter to something: the ends of windows and lifetimes, and one millisecond on either side of them. */
export const anyDelay = (...edges: number[]): fc.Arbitrary<number> =>
  fc.oneof(
    fc.nat({ max: 2_000 }),
    fc
      .constantFrom(1000, 30_000, 5 * minute, 10 * minute, 15 * minute, day, ...edges)
      .chain((ms) => fc.constantFrom(ms - 1, ms, ms + 1)),
  );

/** Up to so many steps of these kinds. */
export const commandsOf = <Model extends object, Real>(
  steps: fc.Arbitrary<Step<Model, Real>>[],
  maxCommands = 40,
) =>
  fc.commands(
    steps.map((each) => each.map((step): fc.AsyncCommand<Model, Real> => new Command(step))),
    { maxCommands, size: 'max', replayPath: replaySteps },
  );
