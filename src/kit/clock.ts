/** Milliseconds since the epoch. Every expiry reads the configured clock, so that tests can move time. */
export type Clock = () => number;
