/** The address of a client, for rate limits and logs. */
import type { Request } from 'express';
import { clientNetwork } from '../domain/client-address.js';

/**
 * Returns the address of `req.ip`, which reads `X-Forwarded-For` only as far as the application's
 * `trust proxy` allows.
 */
export function clientAddress({ ip }: Request): string | undefined {
  return ip ? clientNetwork(ip) : undefined;
}
