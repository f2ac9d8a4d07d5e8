/**
 * Counts what happens, in memory, and adds it to the storage every few seconds: no request waits for it, and no log is read. Without
 * the option `statistics` there is none.
 */
import { clearTimeout, setTimeout } from 'node:timers';
import type {
  activeUsersCounter,
  StatisticsAddition,
  StatisticsRepository,
} from '../../storage/statistics-repository.js';
import { BoundedMap } from './bounded-map.js';
import type { Clock } from './clock.js';
import { describeError, type Logger } from './logger.js';
import { activePeriodsOf, dayOf, hourOf, periodsOf } from './statistics-periods.js';

export const counterNames = [
  'sign_ups',
  'sign_ins',
  'failed_sign_ins',
  'limits',
  'mails',
  'text_messages',
] as const;
export type CounterName = (typeof counterNames)[number];
export type StatisticsName = CounterName | typeof activeUsersCounter;

const usualFlushMs = 5_000;
/** Kinds of one counter that a process distinguishes. An application has a few sign-in methods, and the engine a few dozen limits. */
const maxLabels = 64;
/** What a process remembers while the database does not respond: some days of counters. */
const maxCounters = 5_000;
const maxActive = 10_000;
/** Users of one transaction, whose rows it locks against deletion: no change of a user waits for long. */
const batchSize = 500;
const label = /^[a-z0-9][\w.:+-]{0,63}$/i;
const otherLabel = 'other';

interface Counted {
  hour: string;
  name: CounterName;
  label: string;
  count: number;
}

export class Statistics {
  private counters = new Map<string, Counted>();
  /** User ids by day. */
  private active = new Map<string, Set<string>>();
  private readonly labels = new Map<CounterName, Set<string>>();
  /** The day for which a user was last counted by this process. Another process, or a user who was forgotten, is the storage's matter. */
  private readonly lastDays = new BoundedMap<string, string>(maxActive);
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;
  private isClosed = false;
  private isFull = false;

  constructor(
    private readonly storage: StatisticsRepository,
    private readonly clock: Clock,
    private readonly logger: Logger,
    private readonly flushMs = usualFlushMs,
  ) {}

  /** @param kind is determined by the code or the configuration. One that a client could have chosen is counted as `other`. */
  count(name: CounterName, kind = ''): void {
    const hour = this.hour();
    if (hour === null) return;
    const known = this.labelOf(name, kind);
    const key = `${hour} ${name} ${known}`;
    const counted = this.counters.get(key);
    if (counted) counted.count += 1;
    else if (this.counters.size < maxCounters) this.counters.set(key, { hour, name, label: known, count: 1 });
    else return this.reportFull();
    this.schedule();
  }

  /** Counts a user as active today. */
  seen(userId: string): void {
    const hour = this.hour();
    if (hour === null) return;
    const day = dayOf(hour);
    if (this.lastDays.get(userId) === day) return;
    const users = this.active.get(day) ?? new Set();
    if (this.activeSize() >= maxActive && !users.has(userId)) return this.reportFull();
    this.lastDays.set(userId, day);
    this.active.set(day, users.add(userId));
    this.schedule();
  }

  /** Adds what was counted to the storage. Never rejects: what could not be added is tried again with the next flush. */
  async flush(): Promise<void> {
    while (this.running) await this.running;
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.counters.size === 0 && this.active.size === 0) return;
    this.running = this.addAll().finally(() => (this.running = undefined));
    await this.running;
  }

  /** Adds what was counted. Tries it once, and starts no timer from then on. */
  async close(): Promise<void> {
    this.isClosed = true;
    await this.flush();
    clearTimeout(this.timer);
  }

  /** Forgets what was counted. */
  async clear(): Promise<void> {
    await this.running;
    this.counters.clear();
    this.active.clear();
    this.lastDays.clear();
  }

  private async addAll(): Promise<void> {
    const { counters, active } = this;
    this.counters = new Map();
    this.active = new Map();
    try {
      if (counters.size > 0) await this.storage.add(additionsOf(counters.values()), []);
      counters.clear();
      for (const [day, users] of active) await this.addActive(day, users);
      this.isFull = false;
    } catch (error) {
      this.putBack(counters, active);
      this.logger.warn(
        { event: 'statistics_failed', err: describeError(error) },
        'statistics could not be added',
      );
      this.schedule();
    }
  }

  /** Removes the users who were added. */
  private async addActive(day: string, users: Set<string>): Promise<void> {
    while (users.size > 0) {
      const userIds = [...users].slice(0, batchSize);
      await this.storage.add(
        [],
        activePeriodsOf(day).map((period) => ({ ...period, userIds })),
      );
      for (const id of userIds) users.delete(id);
    }
  }

  private putBack(counters: Map<string, Counted>, active: Map<string, Set<string>>): void {
    for (const [key, counted] of counters) {
      const newer = this.counters.get(key);
      if (newer) newer.count += counted.count;
      else if (this.counters.size < maxCounters) this.counters.set(key, counted);
      else this.reportFull();
    }
    for (const [day, users] of active) {
      const newer = this.active.get(day) ?? new Set();
      this.active.set(day, newer);
      for (const id of users) {
        if (this.activeSize() < maxActive) newer.add(id);
        else this.lastDays.delete(id);
      }
      if (newer.size === 0) this.active.delete(day);
    }
  }

  /** Null if the application's clock is wrong: a sign-in that decides by it reports that. */
  private hour(): string | null {
    const now = this.clock();
    return Number.isFinite(now) ? hourOf(now) : null;
  }

  private labelOf(name: CounterName, kind: string): string {
    if (kind === '') return '';
    const labels = this.labels.get(name) ?? new Set();
    this.labels.set(name, labels);
    if (labels.has(kind)) return kind;
    if (labels.size >= maxLabels || !label.test(kind)) return otherLabel;
    labels.add(kind);
    return kind;
  }

  private activeSize(): number {
    let size = 0;
    for (const users of this.active.values()) size += users.size;
    return size;
  }

  private schedule(): void {
    if (this.timer || this.isClosed) return;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      void this.flush();
    }, this.flushMs);
    // Statistics must not keep a process alive: `close()` adds what is left.
    this.timer.unref();
  }

  private reportFull(): void {
    if (this.isFull) return;
    this.isFull = true;
    this.logger.warn(
      { event: 'statistics_full' },
      'statistics wait for the database, and no more are remembered',
    );
  }
}

/** One addition for each period and kind. */
function additionsOf(counters: Iterable<Counted>): StatisticsAddition[] {
  const additions = new Map<string, StatisticsAddition>();
  for (const { hour, name, label: kind, count } of counters) {
    for (const { period, expiresAt } of periodsOf(hour)) {
      const key = `${period} ${name} ${kind}`;
      const sum = (additions.get(key)?.count ?? 0) + count;
      additions.set(key, { period, name, label: kind, count: sum, expiresAt });
    }
  }
  return [...additions.values()];
}
