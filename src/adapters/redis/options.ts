/** The options that counters and cached sessions in Redis share. */
import { ConfigError } from '../../errors/catalog.js';

export interface RedisOptions {
  /** Begins every key and channel. Default: `svc-auth:`. */
  prefix?: string;
  /**
   * How long a command may take, in milliseconds, before Redis counts as unavailable: 10 to 60,000. Default: 1,000.
   */
  timeoutMs?: number;
}

/** @throws ConfigError */
export function redisOptions(
  { prefix = 'svc-auth:', timeoutMs = 1_000 }: RedisOptions,
  name: string,
): Required<RedisOptions> {
  const refuse = (option: string, message: string) => {
    throw new ConfigError([{ path: `${name}(…).${option}`, message }]);
  };
  if (typeof prefix !== 'string' || !/^[\w.:-]{1,64}$/.test(prefix))
    refuse('prefix', 'must be 1 to 64 letters, digits, and the characters _ . : -');
  if (!Number.isInteger(timeoutMs) || timeoutMs < 10 || timeoutMs > 60_000)
    refuse('timeoutMs', 'must be a whole number from 10 to 60,000');
  return { prefix, timeoutMs };
}
