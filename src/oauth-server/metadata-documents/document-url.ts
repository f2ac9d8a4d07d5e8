/** Client ids that are the addresses of metadata documents (draft-ietf-oauth-client-id-metadata-document, 3). */
import { isIP } from 'node:net';

/** A client id is a key of the storage. */
const maxLength = 255;

/**
 * Returns the URL of a client id, and null for one that is not such an address: HTTPS, with a path, without credentials and fragment.
 * It must be in the form in which it is requested. So dot segments, hosts that are numbers in any notation, and second names of one
 * client are refused.
 */
export function documentUrl(clientId: string): URL | null {
  if (!clientId.startsWith('https://') || clientId.length > maxLength || !URL.canParse(clientId)) return null;
  const url = new URL(clientId);
  const { hash, hostname, href, password, pathname, username } = url;
  if (href !== clientId || pathname === '/' || username !== '' || password !== '') return null;
  // An empty fragment is not in `hash`.
  if (hash !== '' || href.includes('#') || /%2e/i.test(pathname)) return null;
  return isDomain(hostname) ? url : null;
}

/** A name on the internet, which users see as the one who asks: neither an address nor a name of the local network. */
function isDomain(hostname: string): boolean {
  const labels = hostname.split('.');
  const isLocal = /^(?:localhost|local|internal|lan|home|corp)$/.test(labels.at(-1)!);
  return isIP(hostname) === 0 && labels.length > 1 && labels.every(Boolean) && !isLocal;
}
