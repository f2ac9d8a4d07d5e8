/**
 * Receives the messages of processes that change sessions, and finds out with heartbeats whether they arrive. A heartbeat is a message
 * of this process to itself. It is sent only while sessions are checked, so a service that is idle sends nothing.
 */
import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import type { SessionSubscription, SessionSubscriptionOptions } from '../../storage/session-changes.js';
import type { RedisConnection } from './client.js';
import type { RedisSender } from './sender.js';

/** A heartbeat that has not arrived by then never will. */
const maxSilenceMs = 500;

interface Heartbeat {
  payload: string;
  sentAt: number;
}

export class SessionMessages implements SessionSubscription {
  private readonly heartbeatChannel: string;
  private readonly unsubscribe: () => void;
  /** When the last heartbeat that has arrived was sent. Null while messages may be lost. */
  private provenAt: number | null = null;
  private heartbeat: Heartbeat | null = null;

  constructor(
    connection: RedisConnection,
    private readonly sender: RedisSender,
    private readonly channel: string,
    private readonly options: SessionSubscriptionOptions,
  ) {
    this.heartbeatChannel = `${channel}:${randomUUID()}`;
    this.unsubscribe = connection.subscribe([channel, this.heartbeatChannel], {
      onMessage: (...message) => this.receive(...message),
      onInterruption: () => this.lose(),
    });
  }

  isCurrent(): boolean {
    const { maxStaleMs } = this.options;
    const age = this.provenAt === null ? Infinity : performance.now() - this.provenAt;
    if (age >= maxStaleMs / 4) this.beat();
    return age <= maxStaleMs;
  }

  async close(): Promise<void> {
    this.unsubscribe();
    this.lose();
  }

  private beat(): void {
    const sentAt = performance.now();
    if (
      this.heartbeat &&
      sentAt - this.heartbeat.sentAt < Math.min(this.options.maxStaleMs / 4, maxSilenceMs)
    )
      return;
    const heartbeat = { payload: randomUUID(), sentAt };
    this.heartbeat = heartbeat;
    // If it fails, the next one is sent after a while.
    this.sender.send('PUBLISH', [this.heartbeatChannel, heartbeat.payload]).catch(() => undefined);
  }

  private receive(channel: string, message: string): void {
    if (channel === this.channel) this.options.onChange(message === '*' ? null : message);
    else if (message === this.heartbeat?.payload) this.prove(this.heartbeat);
  }

  private prove({ sentAt }: Heartbeat): void {
    // Messages between the loss of the last connection and now have not been received.
    if (this.provenAt === null) this.options.onChange(null);
    this.provenAt = sentAt;
    this.heartbeat = null;
  }

  private lose(): void {
    if (this.provenAt !== null) this.options.onChange(null);
    this.provenAt = null;
    this.heartbeat = null;
  }
}
