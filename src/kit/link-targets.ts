/**
 * Where a mailed link may point: the configured URL, or a `redirectTo` whose origin is allowed. Anything else would
 * mail the token to whoever chose the target (docs/decisions/link-targets.md).
 */
import { InvalidRequestError } from '../errors/catalog.js';

export class LinkTargets {
  private readonly origins: ReadonlySet<string>;

  constructor(allowed: readonly string[]) {
    this.origins = new Set(allowed.map((url) => new URL(url).origin));
  }

  allows(origin: string): boolean {
    return this.origins.has(origin);
  }

  /**
   * The target as given.
   * @throws InvalidRequestError unless it is https (http on loopback), without credentials, of an allowed origin.
   */
  check(redirectTo: unknown): string {
    const url = typeof redirectTo === 'string' && URL.canParse(redirectTo) ? new URL(redirectTo) : null;
    const allowed = url && isSafeUrl(url) && this.allows(url.origin);
    if (!allowed) {
      throw new InvalidRequestError(
        'redirectTo must be a URL of an allowed origin. Add the origin to trustedOrigins.',
      );
    }
    return url.href;
  }
}

/** http or https, without credentials: what an operator may configure. */
export function isWebUrl(url: URL): boolean {
  return /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
}

/** https, or http on this machine; no credentials. */
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

/** `url` with the token as its `token` query parameter, other parameters and fragment kept. */
export function withToken(url: string, token: string): string {
  const target = new URL(url);
  target.searchParams.set('token', token);
  return target.href;
}
