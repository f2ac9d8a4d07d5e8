/** By what a user can sign in, under this configuration. */
import { InvalidRequestError } from '../errors/catalog.js';
import type { WaysIn } from '../storage/repositories.js';

/** What the configuration lets people sign in with: an identity that no provider reads any more is no way in. */
export interface SignInMethods {
  /** By a code, a link, or a password, which a mailed link can set. */
  byMail: boolean;
  byPasskey: boolean;
  /** `provider` of the identities that count. */
  providers: ReadonlySet<string>;
}

/** Returns whether a user can sign in by what is left. A password needs an address, so the address speaks for both. */
export function canSignIn(
  { byMail, byPasskey, providers }: SignInMethods,
  { user, identities, passkeys }: WaysIn,
): boolean {
  return (
    (byMail && user.email !== null) ||
    (byPasskey && passkeys > 0) ||
    identities.some(({ provider }) => providers.has(provider))
  );
}

/** Returns the refusal to remove the last identity or passkey that its user can sign in with. */
export function lastSignInMethodError(): InvalidRequestError {
  const reason = 'last_sign_in_method';
  return new InvalidRequestError('This is the last way to sign in to the account.', { reason });
}
