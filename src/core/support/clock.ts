/** Returns milliseconds since the epoch. Every expiry uses the configured clock, so that tests can advance time. */
export type Clock = () => number;
