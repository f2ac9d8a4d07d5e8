/**
 * Corrects the clock of the process by that of the database, so that processes whose clocks differ agree on limits, expiries and
 * revocations
 * (docs/decisions/revocation.md).
 */
import type { Clock } from './clock.js';
import type { Logger } from './logger.js';

// Smaller differences are ignored: clocks that NTP synchronizes are never corrected, and the time does not jump with the jitter of
// round trips.
const toleranceMs = 100;
const warnFromMs = 5_000;
const intervalMs = 60_000;
const samplesAtStart = 3;

interface Sample {
  /** How far the database's clock is ahead of the process's. */
  offsetMs: number;
  /** Half of the round trip, during which the database read its clock. */
  uncertaintyMs: number;
}

export class DatabaseClock {
  private offsetMs = 0;
  /** Time of the last measurement, by the process's clock. Null before `synchronize`. */
  private measuredAt: number | null = null;
  private hasWarned = false;

  /** @param databaseTime reads the database's clock, in milliseconds since the epoch. */
  constructor(
    private readonly local: Clock,
    private readonly databaseTime: () => Promise<number>,
    private readonly logger: Logger,
  ) {}

  /**
   * Returns milliseconds since the epoch, within 0.1 s and half a round trip of the database's clock. Measures the difference again after
   * a minute.
   */
  readonly now: Clock = () => {
    const local = this.local();
    if (this.measuredAt !== null && Math.abs(local - this.measuredAt) >= intervalMs) {
      this.measuredAt = local;
      // If the database is not available, the last correction remains.
      this.measure().then(
        (sample) => this.correct(sample),
        () => undefined,
      );
    }
    return local + this.offsetMs;
  };

  /** Measures the difference of the clocks, and warns if it is five seconds or more. Rejects if the database's clock cannot be read. */
  async synchronize(): Promise<void> {
    const samples: Sample[] = [];
    while (samples.length < samplesAtStart) samples.push(await this.measure());
    this.measuredAt = this.local();
    this.correct(
      samples.reduce((best, sample) => (sample.uncertaintyMs < best.uncertaintyMs ? sample : best)),
    );
  }

  private async measure(): Promise<Sample> {
    const start = this.local();
    const database = await this.databaseTime();
    const end = this.local();
    return { offsetMs: Math.round(database - (start + end) / 2), uncertaintyMs: Math.abs(end - start) / 2 };
  }

  private correct({ offsetMs, uncertaintyMs }: Sample): void {
    if (!(Math.abs(offsetMs - this.offsetMs) > uncertaintyMs + toleranceMs)) return;
    this.offsetMs = offsetMs;
    const isFarOff = Math.abs(offsetMs) >= warnFromMs;
    if (isFarOff && !this.hasWarned) {
      const message =
        'the clocks of this server and its database differ; svc-auth follows the database. Keep both on NTP.';
      this.logger.warn({ event: 'clock_skew', skewMs: -offsetMs }, message);
    }
    this.hasWarned = isFarOff;
  }
}
