/** To which addresses codes may travel (RFC 9700, 2.1 and 2.6; RFC 8252, 7 and 8.4). */

/** The scheme of an app is a domain of its maker, in reverse order: no other app and no part of a browser has it (RFC 8252, 7.1). */
const reverseDomain = /^[a-z][a-z\d-]*(?:\.[a-z\d-]+)+:$/;

/** The characters of a URI (RFC 3986, 2). A parser drops or rewrites others: the address would lead elsewhere than it reads. */
const uriCharacters = /^[\w\-.~:/?#[\]@!$&'()*+,;=%]+$/;

/** Addresses of the computer itself, also those that reach it by "any address" or within one of IPv6. The parser has normalized them. */
const ownAddress = /^(?:127(?:\.\d+){3}|0\.0\.0\.0|\[::(?:1|ffff:0:0|ffff:7f[\da-f]{2}:[\da-f]{1,4})?\])$/;

/** Returns whether a browser reaches its own computer at an address: any program on it can answer there. */
export function isThisComputer({ hostname }: URL): boolean {
  const name = hostname.replace(/\.$/, '');
  // RFC 6761, 6.3.
  return name === 'localhost' || name.endsWith('.localhost') || ownAddress.test(name);
}

/** The only addresses that may have plain HTTP (RFC 8252, 7.3 and 8.3). */
export function isLoopback({ hostname }: URL): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
}

/** Returns whether a program on the user's own computer or phone receives answers. */
export function isNative(redirectUris: readonly string[]): boolean {
  return redirectUris.some((uri) => !/^https:/i.test(uri));
}

/** Returns where an address leads, as a user reads it. What follows another scheme is not a host: an app may write the name of a bank there. */
export function hostOf(uri: string): string {
  const { host, protocol } = new URL(uri);
  return /^https?:$/.test(protocol) ? host : protocol;
}

/** Returns what is wrong with an address, or null. */
function problemOf(uri: string): string | null {
  if (!URL.canParse(uri)) return 'must be URLs';
  if (!uriCharacters.test(uri)) return 'must encode spaces and other characters that a URL cannot contain';
  const url = new URL(uri);
  if (url.username !== '' || url.password !== '') return 'must not contain credentials';
  if (uri.includes('#')) return 'must not contain fragments';
  if (url.protocol === 'https:') return null;
  if (url.protocol === 'http:')
    return isLoopback(url) ? null : 'must use https, except for loopback addresses';
  const isApp = reverseDomain.test(url.protocol);
  return isApp ? null : 'must use https, a loopback address, or a scheme such as com.example.app';
}

/** @throws an error in the form of RFC 7591, 3.2.2. */
export function refuseRedirectUris(redirectUris: readonly string[]): void {
  const [problem] = redirectUris.flatMap((uri) => problemOf(uri) ?? []);
  if (problem === undefined) return;
  const detail = `redirect_uris ${problem}`;
  throw Object.assign(new Error(detail), { error: 'invalid_redirect_uri', error_description: detail });
}
