/**
 * The network of a client's address. One customer of a provider can often choose any address in it.
 */
import { loadIpAddress } from '../runtime/load.js';

/**
 * Returns the /24 network of an IPv4 address or the /48 network of an IPv6 address; a network is
 * accepted too. Undefined if the string is not an address, such as another identifier that the
 * caller uses instead.
 */
export function networkOf(client: string): string | undefined {
  const ipaddr = loadIpAddress();
  const [address = ''] = client.split('/');
  if (!ipaddr.isValid(address)) return undefined;
  const parsed = ipaddr.process(address);
  const bytes = parsed.toByteArray();
  const prefixBytes = parsed.kind() === 'ipv4' ? 3 : 6;
  const network = ipaddr.fromByteArray(bytes.map((byte, i) => (i < prefixBytes ? byte : 0)));
  return `${network.toString()}/${8 * prefixBytes}`;
}

/**
 * Returns the /48 network of an IPv6 address, whose owner has 65,536 clients in it. The IPv4 addresses of one network belong to many
 * people, so each is returned as it is, and so is a string that is not an address.
 */
export function ownedNetworkOf(client: string): string {
  return client.includes(':') ? (networkOf(client) ?? client) : client;
}
