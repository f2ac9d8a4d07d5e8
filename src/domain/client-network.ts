/** The network that a client's address belongs to: what one customer of a provider can often choose addresses from. */
import { loadIpAddress } from '../runtime/load.js';

/**
 * Returns the /24 of an IPv4 address or the /48 of an IPv6 address, also of one that is already given as a network. Undefined if the
 * string is not an address: what a caller uses in place of addresses has no networks.
 */
export function networkOf(client: string): string | undefined {
  const ipaddr = loadIpAddress();
  const [address = ''] = client.split('/');
  if (!ipaddr.isValid(address)) return undefined;
  const parsed = ipaddr.process(address);
  const bytes = parsed.toByteArray();
  const kept = parsed.kind() === 'ipv4' ? 3 : 6;
  const network = ipaddr.fromByteArray(bytes.map((byte, at) => (at < kept ? byte : 0)));
  return `${network.toString()}/${8 * kept}`;
}
