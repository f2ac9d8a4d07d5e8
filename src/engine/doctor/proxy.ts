/** `trust proxy` of Express, compared with the headers of a request that came through the proxies. */
import type { Examined, Family, Found } from './finding.js';

export const proxy: Family = {
  kinds: {
    trust_proxy_missing: {
      severity: 'error',
      why: 'Every client has the address of the proxy: they share one limit, and an attacker locks out everyone. Express takes https for http.',
    },
    trust_proxy_all: {
      severity: 'error',
      why: 'A client writes its own address into X-Forwarded-For, and so escapes every limit on addresses.',
    },
    trust_proxy_hops: {
      severity: 'error',
      why: 'With more hops than proxies, a client writes its own address into X-Forwarded-For, and so escapes every limit on addresses.',
    },
  },
  checks: { 'trust proxy': checkProxy },
};

type Trust = (address: string, hop: number) => boolean;

/** An address of documentation (RFC 5737), so far away that no proxy is there. */
const stranger = '203.0.113.7';
const farAway = 1_000;

function checkProxy({ app, request }: Examined): Found[] {
  const setting: unknown = app?.settings['trust proxy'];
  const trust: unknown = app?.settings['trust proxy fn'];
  if (typeof trust !== 'function') return [];
  const trusts = trust as Trust;
  if (trusts(stranger, farAway))
    return [
      {
        id: 'trust_proxy_all',
        title: 'trust proxy trusts every address.',
        fix: "app.set('trust proxy', 1) // the number of your proxies, or their addresses",
      },
    ];
  if (!request) return [];
  const forwarded = request.headers['x-forwarded-for'];
  const isForwarded = ['x-forwarded-for', 'x-forwarded-proto', 'x-forwarded-host'].some(
    (name) => request.headers[name] !== undefined,
  );
  if (!isForwarded) return [];
  if (!trusts(request.socket.remoteAddress ?? '', 0))
    return [
      {
        id: 'trust_proxy_missing',
        title: 'The request came through a proxy that Express does not trust.',
        fix: "app.set('trust proxy', 1) // the number of your proxies, or their addresses",
      },
    ];
  const hops = String(forwarded ?? '')
    .split(',')
    .filter((part) => part.trim() !== '').length;
  if (typeof setting === 'number' && hops > 0 && setting > hops)
    return [
      {
        id: 'trust_proxy_hops',
        title: `trust proxy is ${setting}, but the request came through ${hops} ${hops === 1 ? 'proxy' : 'proxies'}.`,
        fix: `app.set('trust proxy', ${hops})`,
      },
    ];
  return [];
}
