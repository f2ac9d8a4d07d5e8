/** Which addresses belong to the public internet. A fetch in the name of a stranger must reach nothing else (CWE-918). */
import { BlockList, isIP } from 'node:net';

/** Special addresses of IPv4 (RFC 6890 and its registry), and the one under which Azure serves credentials to its machines. */
const specialV4 = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '168.63.129.16/32', '169.254.0.0/16'],
  ...['172.16.0.0/12', '192.0.0.0/24', '192.0.2.0/24', '192.31.196.0/24', '192.52.193.0/24'],
  ...['192.88.99.0/24', '192.168.0.0/16', '192.175.48.0/24', '198.18.0.0/15', '198.51.100.0/24'],
  ...['203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'],
];

/** The only addresses of IPv6 that are assigned to the internet. Mapped and translated ones of IPv4, local and multicast ones are outside. */
const assignedV6 = ['2000::/3'];
/** Special ones among them: protocol assignments with Teredo, documentation, 6to4, AS112. */
const specialV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20'];

function blockList(subnets: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [network = '', prefix] = subnet.split('/');
    list.addSubnet(network, Number(prefix), family);
  }
  return list;
}

const [v4, assigned, v6] = [
  blockList(specialV4, 'ipv4'),
  blockList(assignedV6, 'ipv6'),
  blockList(specialV6, 'ipv6'),
];

/** Returns whether an address, as a resolver returns it, belongs to the public internet. False for anything that is not an address. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !v4.check(address, 'ipv4');
  // An address with a zone is of a local network.
  if (family !== 6 || address.includes('%')) return false;
  return assigned.check(address, 'ipv6') && !v6.check(address, 'ipv6');
}
