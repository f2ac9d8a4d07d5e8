/**
 * The process's clock, set by the database's, so that processes whose clocks differ agree on limits, expiries and revocations
 * (docs/decisions/revocation.md).
 */
import type { Clock } from './clock.js';
import type { Logger } from './logger.js';

// Smaller differences are left alone: clocks kept by NTP are never corrected, and the time does not jump by the noise of a round trip.
const toleranceMs = 100;
const warnFromMs = 5_000;
const everyMs = 60_000;
const samplesAtStart = 3;

interface Sample {
  /** How far the database is ahead of the process. */
  offsetMs: number;
  /** Half of the round trip: the database read its clock at some moment in it. */
  uncertaintyMs: number;
}

export class DatabaseClock {
  private offsetMs = 0;
  /** By the process's clock. Null before `synchronize`. */
  private lookedAt: number | null = null;
  private hasWarned = false;

  /** @param databaseTime the database's clock, in milliseconds since the epoch. */
  constructor(
    private readonly local: Clock,
    private readonly databaseTime: () => Promise<number>,
    private readonly logger: Logger,
  ) {}

  /** Milliseconds since the epoch, within 0.1 s and half a round trip of the database's clock. Looks again every minute of use. */
  readonly now: Clock = () => {
    const local = this.local();
    if (this.lookedAt !== null && Math.abs(local - this.lookedAt) >= everyMs) {
      this.lookedAt = local;
      // The database may be away; the last correction stays.
      this.measure().then(
        (sample) => this.correct(sample),
        () => undefined,
      );
    }
    return local + this.offsetMs;
  };

  /** Compares the clocks and warns if they are five seconds apart. @throws what reading the database's clock throws */
  async synchronize(): Promise<void> {
    const samples: Sample[] = [];
    while (samples.length < samplesAtStart) samples.push(await this.measure());
    this.lookedAt = this.local();
    this.correct(samples.reduce((best, each) => (each.uncertaintyMs < best.uncertaintyMs ? each : best)));
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
