/** What the pages of the consent and of devices have in common. */
import type { AuthorizationRequest } from '../../core/internals.js';
import type { LiveSession } from '../../core/sessions/session-checks.js';
import { NotAuthorizedError } from '../../errors/catalog.js';
import { because } from '../../http/refusal.js';
import { mustVerifyBeforeConsent } from '../../http/session-requirements.js';
import { withSignInSince } from '../flow.js';
import { goTo, type Next, type Visit } from '../page.js';
import type { Texts } from '../texts/texts.js';

/**
 * Where the user must go before giving access: to a new sign-in, or to verify the address.
 * @param path of the page, below that of the pages.
 * @param signInSince in milliseconds since the epoch. Null if a session suffices.
 * @throws NotAuthorizedError for an administrator who impersonates the user.
 */
export function stepBefore(
  visit: Visit,
  path: string,
  session: LiveSession,
  signInSince: number | null,
): Next | null {
  const { base, paths, service } = visit;
  if (session.claims.act) throw new NotAuthorizedError(because('impersonation'));
  const here = base + path;
  if (signInSince !== null && session.signedInAt.getTime() < signInSince) {
    const next = withSignInSince(here, signInSince);
    return goTo(`${paths.account}/confirm?next=${encodeURIComponent(next)}`);
  }
  if (!mustVerifyBeforeConsent(service, session.user)) return null;
  visit.keep({ next: here });
  return goTo(paths.verify);
}

/** Those of no resource are in our own words, and to stay signed in is not one that a user decides about. */
export function scopesInWords(scopes: AuthorizationRequest['scopes'], texts: Texts): string[] {
  const words: Readonly<Record<string, string>> = texts.consent.scopes;
  return scopes.flatMap(({ description, name, resource }) => {
    if (resource !== '') return [description];
    return Object.hasOwn(words, name) ? [words[name]!] : [];
  });
}
