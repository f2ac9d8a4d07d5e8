/** Client addresses in canonical form, for rate limits and logs. */
import { isIPv4 } from 'node:net';
import { loadIpAddress } from '../runtime/load.js';

/**
 * Returns whether a context contains the address of its client. Null counts as absent: an
 * application may pass on what it has stored.
 */
export function isClient(ip: string | null | undefined): ip is string {
  return typeof ip === 'string';
}

// A proxy may append the port, which differs for each connection: `192.0.2.1:5678`,
// `"[2001:db8::1]:443"` (RFC 7239, 6). It may leave out the brackets if the address is not
// shortened or ends like IPv4.
const withPort = /^(?:\[([^\]]+)\]|(.*\d\.\d+|(?:[\da-f]+:){7}[\da-f]+))(?::\d+)?$/i;

/**
 * Returns the address without port, brackets and zone, and as IPv4 if it is an IPv6 form of an IPv4
 * address (mapped, NAT64). A string that is not an address is returned unchanged, up to 64
 * characters.
 */
export function canonicalClientAddress(ip: string): string {
  // Every limit of a client calls this, mostly with an address that is canonical already.
  if (isIPv4(ip)) return ip;
  const bytes = bytesOf(ip);
  return bytes ? loadIpAddress().fromByteArray(bytes).toString() : ip.slice(0, 64);
}

/**
 * Returns the canonical IPv4 address, or the /64 network of an IPv6 address, because one customer
 * has all of it.
 */
export function clientNetwork(ip: string): string {
  const bytes = bytesOf(ip);
  if (bytes?.length !== 16) return canonicalClientAddress(ip);
  const network = [...bytes.slice(0, 8), ...Array<number>(8).fill(0)];
  return `${loadIpAddress().fromByteArray(network).toString()}/64`;
}

/** Returns four or sixteen bytes, or null if the string is not an address. */
function bytesOf(ip: string): number[] | null {
  const ipaddr = loadIpAddress();
  const unquoted = ip.replace(/^"(.*)"$/, '$1');
  const [, bracketed, unbracketed] = withPort.exec(unquoted) ?? [];
  const bare = (bracketed ?? unbracketed ?? unquoted).replace(/%.*$/, '');
  if (!ipaddr.isValid(bare)) return null;
  const bytes = ipaddr.process(bare).toByteArray();
  return bytes.length === 16 ? (ipv4Inside(bytes) ?? bytes) : bytes;
}

const wellKnown = [0x00, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0];
const localUse = [0x00, 0x64, 0xff, 0x9b, 0x00, 0x01];

/**
 * Returns the IPv4 address that a NAT64 gateway embedded in an IPv6 address (RFC 6052, 2.2; RFC
 * 8215).
 */
function ipv4Inside(bytes: number[]): number[] | null {
  if (startsWith(bytes, wellKnown)) return bytes.slice(12);
  if (!startsWith(bytes, localUse)) return null;
  // The prefix of the gateway has 48, 56, 64 or 96 bits, and zeros follow the address. Byte 8 is
  // not part of the address.
  const last = bytes.findLastIndex((byte) => byte !== 0);
  if (last > 12) return bytes.slice(12);
  const withoutByte8 = [...bytes.slice(0, 8), ...bytes.slice(9)];
  const end = Math.max(last, 10);
  return withoutByte8.slice(end - 4, end);
}

function startsWith(bytes: readonly number[], prefix: readonly number[]): boolean {
  return prefix.every((byte, i) => bytes[i] === byte);
}
