/**
 * Whether a session proves enough for a change that a stolen or forgotten one must not make, such as a new sign-in method: the one rule
 * for routes, pages and providers.
 */
import { ReauthRequiredError } from '../../errors/catalog.js';
import { because } from '../../errors/reasons.js';
import type { Clock } from '../support/clock.js';
import type { CheckedSession } from './session-checks.js';
import { usedTwoFactors } from './session-tokens.js';
import { usualFreshMs } from './sessions.js';
import type { TrustedBrowsers } from './trusted-browsers.js';

/**
 * Returns whether the user has signed in since then, with every factor. The session of a trusted browser has one factor although the
 * account has a second one: it must not change or remove the factor that it skipped. A sign-in during the session asks for that factor.
 */
export function isRecentSignIn(
  { claims, signedInAt, user }: CheckedSession,
  { since, trustsBrowsers }: { since: number; trustsBrowsers: boolean },
): boolean {
  // Only sessions begin in trusted browsers. Tokens that the application issues have no factors to compare.
  const mayHaveSkipped = trustsBrowsers && user.totpEnabled && claims.sid !== undefined;
  // Written so that an invalid date is not recent.
  return signedInAt.getTime() >= since && (!mayHaveSkipped || usedTwoFactors(claims));
}

/** For a change that a provider makes in the user's own session. @throws ReauthRequiredError */
export function assertRecentSignIn(
  session: CheckedSession,
  { clock, trustedBrowsers }: { clock: Clock; trustedBrowsers: TrustedBrowsers | null },
): void {
  const rule = { since: clock() - usualFreshMs, trustsBrowsers: trustedBrowsers !== null };
  if (!isRecentSignIn(session, rule)) throw staleSignIn(session, rule.since);
}

/** Returns the error for a sign-in that is not recent: it is too old, or it skipped the second factor in a trusted browser. */
export function staleSignIn({ signedInAt }: CheckedSession, since: number): ReauthRequiredError {
  return new ReauthRequiredError(
    because(signedInAt.getTime() >= since ? 'second_factor_skipped' : 'sign_in_too_old'),
  );
}
