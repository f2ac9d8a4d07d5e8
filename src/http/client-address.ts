/** The client of a request, as limits count it and logs show it. */
import type { Request } from 'express';
import { clientNetwork } from '../domain/client-address.js';

/** Returns the address of `req.ip`, which reads `X-Forwarded-For` only as far as the application's `trust proxy` allows. */
export function clientAddress({ ip }: Request): string | undefined {
  return ip ? clientNetwork(ip) : undefined;
}
