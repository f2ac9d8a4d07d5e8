/** The page that a visitor asked for before signing in, kept in this tab until the sign-in is done. */
const key = 'return-to';

/**
 * The pages of this site that a sign-in may end at. An address can come from anyone: another site would be an open
 * redirect, and a route below /api could sign the visitor in to an attacker's account.
 */
const pages = ['/', '/account', '/join'];

/** Ignores a target that is not one of our pages. */
export function keepReturnTo(target: string): void {
  const page = ownPage(target);
  if (page !== null) sessionStorage.setItem(key, page);
}

/** Returns the page, once. */
export function takeReturnTo(): string | null {
  const target = sessionStorage.getItem(key);
  sessionStorage.removeItem(key);
  return target === null ? null : ownPage(target);
}

function ownPage(target: string): string | null {
  if (!URL.canParse(target, location.origin)) return null;
  const { origin, pathname, search, hash } = new URL(target, location.origin);
  return origin === location.origin && pages.includes(pathname) ? pathname + search + hash : null;
}
