/** The client as limits count it. */
import type { Request } from 'express';
import { loadIpAddress } from '../runtime/load.js';

/**
 * The address of `req.ip`, which heeds the application's `trust proxy` and no header otherwise. IPv4 in IPv6 form is
 * IPv4; other IPv6 addresses count by /64, because one customer has all of it.
 */
export function clientAddress(req: Request): string | undefined {
  const { ip } = req;
  if (!ip) return undefined;
  const ipaddr = loadIpAddress();
  if (!ipaddr.isValid(ip)) return ip.slice(0, 64);
  const address = ipaddr.process(ip);
  if (address.kind() === 'ipv4') return address.toString();
  return `${ipaddr.fromByteArray([...address.toByteArray().slice(0, 8), 0, 0, 0, 0, 0, 0, 0, 0]).toString()}/64`;
}
