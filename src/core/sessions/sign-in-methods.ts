/** Decides whether a user can sign in with the configured sign-in methods. */
import { InvalidRequestError } from '../../errors/catalog.js';
import type { SignInMethods } from '../../storage/repositories.js';

/** The configured sign-in methods. An identity of a provider that is no longer configured cannot sign in. */
export interface EnabledSignIns {
  /** Whether users can sign in with a code, a link, or a password, which a mailed link can set. */
  byMail: boolean;
  byPasskey: boolean;
  /** Values of `provider` of the identities that can sign in. */
  providers: ReadonlySet<string>;
}

/** Returns whether a user can sign in with the given methods. A password requires an address, so the address represents both. */
export function canSignIn(
  { byMail, byPasskey, providers }: EnabledSignIns,
  { user, identities, passkeys }: SignInMethods,
): boolean {
  return (
    (byMail && user.email !== null) ||
    (byPasskey && passkeys > 0) ||
    identities.some(({ provider }) => providers.has(provider))
  );
}

/** Returns the error for removing the last identity or passkey that its user can sign in with. */
export function lastSignInMethodError(): InvalidRequestError {
  const reason = 'last_sign_in_method';
  return new InvalidRequestError(
    'This is the last sign-in method of the account. Add another one before you remove it.',
    { reason },
  );
}
