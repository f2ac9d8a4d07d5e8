/**
 * Listens for the notifications of the triggers (migrations/0008-session-changes.ts) on a separate
 * connection, and proves with heartbeats that they arrive: docs/decisions/session-cache.md.
 */
import { randomInt, randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import type { SessionSubscription, SessionSubscriptionOptions } from '../../storage/session-changes.js';
import { disconnect, openConnection, type PgClient } from './listener-connection.js';
import { changesChannel } from './session-triggers.js';

const firstRetryMs = 100;
const lastRetryMs = 10_000;
/** A notification takes a round trip. One that has not arrived by then never will. */
const minSilenceMs = 1_000;

/** What an operator can do about a cause (docs/operations.md). Other causes end by themselves. */
const warnings: Readonly<Record<string, string>> = {
  silent:
    'Notifications of the database do not arrive, so every session check asks it. A pooler in transaction mode does not deliver them: set listenConnection.',
  '42501':
    'The role may not enable the triggers of session.cache, so every session check asks the database. Start one process with the owner of the tables.',
  triggers_disabled:
    'The triggers of session.cache were disabled, so every session check asks the database until they are enabled again.',
};
const otherWarning =
  'The database cannot notify this process of changes, so every session check asks it. The process tries again.';

export interface ListenerSource {
  /** Creates a client of the database that is not connected yet, and does not belong to the pool. */
  createClient: () => Promise<PgClient>;
  /** Makes every later change of any process send a notification. */
  enableTriggers: () => Promise<void>;
  /**
   * Sends a notification through the pool, as the statements of the adapter are sent. Resolves false
   * if the triggers are not enabled.
   */
  notify: (channel: string, payload: string) => Promise<boolean>;
}

/** A moment, by both clocks: see `elapsedSince`. */
interface Moment {
  monotonicMs: number;
  wallMs: number;
}

interface Heartbeat {
  payload: string;
  sentAt: Moment;
  /** When the database had committed it. Null if it has not, or has failed. */
  committedAt: Moment | null;
}

/**
 * A connection that is opened again whenever it is lost. PostgreSQL delivers notifications in the
 * order of their commits. A heartbeat that arrives therefore proves that every change that was
 * committed before the heartbeat was sent has arrived.
 */
export class SessionListener implements SessionSubscription {
  private readonly closing = new AbortController();
  private readonly heartbeatChannel = `svc_heartbeat_${randomUUID().replaceAll('-', '')}`;
  private readonly running: Promise<void>;
  /** When the last heartbeat that has arrived was sent. Null while the connection is not proven. */
  private provenAt: Moment | null = null;
  /** The heartbeat that has not arrived yet. */
  private heartbeat: Heartbeat | null = null;
  /** Only one statement is under way at a time, because the pool may be exhausted. */
  private isSending = false;
  private areTriggersOff = false;
  private onArrival = (): void => undefined;
  private readonly warnedCauses = new Set<string>();

  constructor(
    private readonly source: ListenerSource,
    private readonly options: SessionSubscriptionOptions,
  ) {
    this.running = this.run();
  }

  isCurrent(): boolean {
    return this.provenAt !== null && elapsedSince(this.provenAt) <= this.options.maxStaleMs;
  }

  async close(): Promise<void> {
    this.closing.abort();
    this.lose();
    await this.running;
  }

  private async run(): Promise<void> {
    let retryMs = firstRetryMs;
    while (!this.closing.signal.aborted) {
      const wasProven = await this.listenOnce();
      retryMs = wasProven ? firstRetryMs : Math.min(retryMs * 2, lastRetryMs);
      // Processes must not try again at the same time.
      await this.sleep(randomInt(retryMs / 2, retryMs));
    }
  }

  /** Opens a connection and uses it until it fails. Returns whether it was proven. Never rejects. */
  private async listenOnce(): Promise<boolean> {
    let cause = 'connection_lost';
    let client: PgClient | undefined;
    try {
      await this.source.enableTriggers();
      client = await this.source.createClient();
      const lost = new Promise<void>((resolve) => {
        client?.on('end', resolve);
        client?.on('error', ({ code }) => {
          cause = code ?? cause;
          resolve();
        });
      });
      client.on('notification', ({ channel, payload }) => this.receive(channel, payload));
      await openConnection(client, [changesChannel, this.heartbeatChannel], this.closing.signal);
      cause = (await this.beatUntil(lost)) ?? cause;
    } catch (error) {
      cause = causeOf(error);
    }
    const wasProven = this.provenAt !== null;
    this.lose();
    if (client) await disconnect(client);
    if (!this.closing.signal.aborted) this.warnOnce(cause);
    return wasProven;
  }

  /** Sends heartbeats until the connection is lost, or one does not arrive. Returns why, if it knows. */
  private async beatUntil(lost: Promise<void>): Promise<string | undefined> {
    let isLost = false;
    this.areTriggersOff = false;
    void lost.then(() => (isLost = true));
    const intervalMs = this.options.maxStaleMs / 4;
    while (!isLost && !this.closing.signal.aborted) {
      if (this.areTriggersOff) return 'triggers_disabled';
      if (this.heartbeat && this.isSilent(this.heartbeat)) return 'silent';
      if (!this.heartbeat?.committedAt && !this.isSending) this.beat();
      const arrival = new Promise<void>((resolve) => (this.onArrival = resolve));
      await Promise.race([lost, arrival, this.sleep(intervalMs)]);
      // One that was sent before the process slept proves too little: the next follows at once.
      if (this.heartbeat === null && this.isCurrent()) await Promise.race([lost, this.sleep(intervalMs)]);
    }
    return undefined;
  }

  private beat(): void {
    const heartbeat: Heartbeat = { payload: randomUUID(), sentAt: momentNow(), committedAt: null };
    this.heartbeat = heartbeat;
    this.isSending = true;
    const settled = () => (this.isSending = false);
    this.source
      .notify(this.heartbeatChannel, heartbeat.payload)
      .then((isSent) => {
        if (isSent) heartbeat.committedAt = momentNow();
        else this.areTriggersOff = true;
      })
      .then(settled, settled);
  }

  private isSilent({ committedAt }: Heartbeat): boolean {
    const limitMs = Math.max(this.options.maxStaleMs, minSilenceMs);
    return committedAt !== null && performance.now() - committedAt.monotonicMs > limitMs;
  }

  private receive(channel: string, payload = ''): void {
    if (channel === changesChannel) this.options.onChange(payload === '*' ? null : payload);
    else if (this.heartbeat && payload === this.heartbeat.payload) this.prove(this.heartbeat);
  }

  private prove({ sentAt }: Heartbeat): void {
    // Changes between the loss of the last connection and now have not been received.
    if (this.provenAt === null) this.options.onChange(null);
    this.provenAt = sentAt;
    this.heartbeat = null;
    this.warnedCauses.clear();
    this.onArrival();
  }

  private lose(): void {
    this.provenAt = null;
    this.heartbeat = null;
    this.options.onChange(null);
  }

  /** Once per cause until notifications arrive: the first may hide another that does not end by itself. */
  private warnOnce(cause: string): void {
    if (this.warnedCauses.has(cause)) return;
    this.warnedCauses.add(cause);
    this.options.warn({ event: 'session_cache_off', cause }, warnings[cause] ?? otherWarning);
  }

  private async sleep(ms: number): Promise<void> {
    const options = { ref: false, signal: this.closing.signal };
    await pause(ms, undefined, options).catch(() => undefined);
  }
}

/** Returns the code of the database or of the network. */
function causeOf(error: unknown): string {
  const { cause, code } = error as { cause?: { code?: string }; code?: string };
  return cause?.code ?? code ?? 'connection_failed';
}

function momentNow(): Moment {
  // eslint-disable-next-line no-restricted-properties -- a monotonic clock stops while a machine is suspended
  return { monotonicMs: performance.now(), wallMs: Date.now() };
}

/**
 * Returns the milliseconds since a moment: the longer of the two clocks. The monotonic clock cannot
 * be set back, and the other one counts the time in which the machine was suspended.
 */
function elapsedSince({ monotonicMs, wallMs }: Moment): number {
  const now = momentNow();
  return Math.max(now.monotonicMs - monotonicMs, now.wallMs - wallMs);
}
