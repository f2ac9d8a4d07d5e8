/**
 * Decides where a mailed link may point: to the configured URL, or to a `redirectTo` whose origin is allowed. Any other target
 * would send the token to the attacker who chose it (docs/decisions/link-targets.md).
 * The same origins may post to the routes (http/origin-check.ts).
 */
import { InvalidRequestError } from '../../errors/catalog.js';

export class LinkTargets {
  private readonly origins: ReadonlySet<string>;

  constructor(allowed: readonly string[]) {
    this.origins = new Set(allowed.map((url) => originOf(new URL(url))));
  }

  allows(origin: string): boolean {
    return this.origins.has(origin);
  }

  /**
   * Returns the target, normalized.
   * @throws InvalidRequestError unless the target is an https URL (http on loopback) without credentials and with an allowed origin.
   */
  check(redirectTo: string): string {
    const url = URL.canParse(redirectTo) ? new URL(redirectTo) : null;
    const allowed = url && isSafeUrl(url) && this.allows(url.origin);
    if (!allowed) {
      throw new InvalidRequestError(
        'redirectTo must be a URL of an allowed origin. Add the origin to trustedOrigins.',
      );
    }
    return url.href;
  }
}

/** The schemes of apps and extensions whose pages send their origin: Capacitor, Ionic, Tauri, Electron, and the browsers' extensions. */
const appSchemes = /^(?:capacitor|ionic|tauri|app|chrome-extension|moz-extension|safari-web-extension):$/;

/** Returns the origin as browsers send it. `URL` knows that of web pages only, and calls all others `null`. */
function originOf({ host, origin, protocol }: URL): string {
  return appSchemes.test(protocol) ? `${protocol}//${host}` : origin;
}

/** Returns whether this is the origin of a page on the web, in an app or in an extension. */
export function isAllowedOrigin(origin: string): boolean {
  if (!URL.canParse(origin)) return false;
  const url = new URL(origin);
  // Origins are compared as a whole, so a pattern would allow none.
  if (origin.includes('*')) return false;
  return (isWebUrl(url) || (appSchemes.test(url.protocol) && url.host !== '')) && originOf(url) === origin;
}

/** Returns whether a URL may be configured: http or https, without credentials. */
export function isWebUrl(url: URL): boolean {
  return /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
}

/** Returns whether a URL is https, or http on loopback, and without credentials. */
export function isSafeUrl(url: URL): boolean {
  return isWebUrl(url) && (url.protocol === 'https:' || isLoopback(url.hostname));
}

export function isLoopback(hostname: string): boolean {
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === '[::1]' ||
    /^127(?:\.\d{1,3}){3}$/.test(hostname)
  );
}

/** Sets the `token` query parameter of `url`, and `others`. Keeps its other parameters and its fragment. */
export function withToken(url: string, token: string, others: Readonly<Record<string, string>> = {}): string {
  const target = new URL(url);
  for (const [name, value] of Object.entries({ token, ...others })) target.searchParams.set(name, value);
  return target.href;
}
