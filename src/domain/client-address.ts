/** The address of a client in one form, for limits and logs. */
import { loadIpAddress } from '../runtime/load.js';

// A proxy may append the port, and each connection has another one: `192.0.2.1:5678`, `"[2001:db8::1]:443"` (RFC 7239, 6), and without
// brackets where the address is not shortened or ends like IPv4.
const withPort = /^(?:\[([^\]]+)\]|(.*\d\.\d+|(?:[\da-f]+:){7}[\da-f]+))(?::\d+)?$/i;

/**
 * Returns the address without port, brackets and zone, and as IPv4 if it is an IPv6 form of it (mapped, NAT64). What is not an address
 * stays, cut to 64 characters.
 */
export function canonicalClientAddress(ip: string): string {
  const bytes = bytesOf(ip);
  return bytes ? loadIpAddress().fromByteArray(bytes).toString() : ip.slice(0, 64);
}

/** Returns the canonical address, of IPv6 its /64 network: one customer has all of it. */
export function clientNetwork(ip: string): string {
  const bytes = bytesOf(ip);
  if (bytes?.length !== 16) return canonicalClientAddress(ip);
  const network = [...bytes.slice(0, 8), ...Array<number>(8).fill(0)];
  return `${loadIpAddress().fromByteArray(network).toString()}/64`;
}

/** Four bytes or sixteen; null for what is not an address. */
function bytesOf(ip: string): number[] | null {
  const ipaddr = loadIpAddress();
  const unquoted = ip.replace(/^"(.*)"$/, '$1');
  const [, bracketed, other] = withPort.exec(unquoted) ?? [];
  const bare = (bracketed ?? other ?? unquoted).replace(/%.*$/, '');
  if (!ipaddr.isValid(bare)) return null;
  const bytes = ipaddr.process(bare).toByteArray();
  return bytes.length === 16 ? (ipv4Inside(bytes) ?? bytes) : bytes;
}

const wellKnown = [0x00, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0];
const localUse = [0x00, 0x64, 0xff, 0x9b, 0x00, 0x01];

/** The IPv4 address that a NAT64 gateway has put into an IPv6 address (RFC 6052, 2.2; RFC 8215). */
function ipv4Inside(bytes: number[]): number[] | null {
  if (startsWith(bytes, wellKnown)) return bytes.slice(12);
  if (!startsWith(bytes, localUse)) return null;
  // The gateway's own prefix has 48, 56, 64 or 96 bits, and zeros follow the address; byte 8 is not part of it.
  const last = bytes.findLastIndex((byte) => byte !== 0);
  if (last > 12) return bytes.slice(12);
  const withoutByte8 = [...bytes.slice(0, 8), ...bytes.slice(9)];
  const end = Math.max(last, 10);
  return withoutByte8.slice(end - 4, end);
}

function startsWith(bytes: readonly number[], prefix: readonly number[]): boolean {
  return prefix.every((byte, i) => bytes[i] === byte);
}
