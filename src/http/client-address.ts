/** The address of a client, for rate limits and logs. */
import type { Request } from 'express';
import { clientNetwork } from '../domain/client-address.js';

/**
 * Returns the address of `req.ip`, which reads `X-Forwarded-For` only as far as the application's
 * `trust proxy` allows. The header is never read here: any client can send it, and could then choose
 * its address and escape the limits per client. Only the application knows which proxies it has.
 */
export function clientAddress({ ip }: Request): string | undefined {
  return ip ? clientNetwork(ip) : undefined;
}
