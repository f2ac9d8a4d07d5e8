/** The page that a visitor requested before signing in, kept in this tab until the sign-in is complete. */
const key = 'return-to';

/**
 * The pages of this site that a sign-in may redirect to. An attacker can choose the URL: another site would be an open
 * redirect, and a route below /api could sign the visitor in to the attacker's account.
 */
const pages = ['/', '/account', '/join'];
const admin = /^\/admin(\/|$)/;

/** Stores the target. Ignores a target that is not one of these pages. */
export function keepReturnTo(target: string): void {
  const page = ownPage(target);
  if (page !== null) sessionStorage.setItem(key, page);
}

/** Returns the page and removes it. */
export function takeReturnTo(): string | null {
  const target = sessionStorage.getItem(key);
  sessionStorage.removeItem(key);
  return target === null ? null : ownPage(target);
}

function ownPage(target: string): string | null {
  if (!URL.canParse(target, location.origin)) return null;
  const { origin, pathname, search, hash } = new URL(target, location.origin);
  return origin === location.origin && (pages.includes(pathname) || admin.test(pathname))
    ? pathname + search + hash
    : null;
}
