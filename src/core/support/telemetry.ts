/**
 * What the option `telemetry` records, without the package that records it. No attribute contains an address, an id of a user, a token or
 * a client address: each has few values, which the configuration and the code determine.
 */
export type TelemetryAttributes = Record<string, string | number | boolean>;

export type CounterName = 'sign_ins' | 'mails' | 'text_messages' | 'limits.refused';
export type DurationName = 'session.check.duration' | 'password.queue.duration';

/** How many places of a queue are in a state. */
export interface QueueLength {
  queue: string;
  state: 'waiting' | 'working';
  length: number;
}

export interface SpanOptions {
  /** `client` for a request to another server. */
  kind?: 'client' | 'internal';
  attributes?: TelemetryAttributes;
}

/** Adds attributes to a span that has begun. */
export type Annotate = (attributes: TelemetryAttributes) => void;

export interface Telemetry {
  count(name: CounterName, attributes: TelemetryAttributes): void;
  /** Records the seconds since `start`, a value of `performance.now()`. */
  duration(name: DurationName, start: number, attributes: TelemetryAttributes): void;
  /** Runs `work` in a span, which ends with it, or with its promise. Returns and throws what `work` does. */
  span<T>(name: string, options: SpanOptions, work: (annotate: Annotate) => T): T;
  /** Reads the lengths of queues whenever they are exported. */
  watchQueues(read: () => Iterable<QueueLength>): void;
  /** Ends the reading of queues. */
  close(): void;
}
