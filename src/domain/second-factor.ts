/** The methods of the second step of a sign-in, and which of them a user may use (docs/decisions/second-factor.md). */

/**
 * In the order in which they are listed and preferred:
 * - `totp`: a code of an authenticator app.
 * - `passkey`: a passkey of the user.
 * - `email`: a code that is mailed to the user's verified address.
 * - `recovery`: a recovery code.
 */
export const secondFactorMethods = ['totp', 'passkey', 'email', 'recovery'] as const;
export type SecondFactorMethod = (typeof secondFactorMethods)[number];

/** The methods that a user can prefer. Recovery codes are for the loss of the others. */
export const preferableMethods = ['totp', 'passkey', 'email'] as const;
export type PreferableMethod = (typeof preferableMethods)[number];

/** With so many recovery codes left, the user is asked to create new ones. */
export const fewRecoveryCodes = 2;

/** The methods besides the authenticator app that the application offers. */
export interface OfferedMethods {
  email: boolean;
  passkey: boolean;
}

/** What a user has set up. Exists only while an authenticator app is enrolled. */
export interface SecondFactors {
  /** Whether the user has chosen codes by email. */
  email: boolean;
  /** The number of passkeys. */
  passkeys: number;
  recoveryCodes: number;
  preferred: PreferableMethod | null;
}

/** The methods of one sign-in. `methods` is never empty and contains `preferred`. */
export interface SecondStepMethods {
  methods: SecondFactorMethod[];
  preferred: SecondFactorMethod;
}

/** Those of a service that offers nothing besides the authenticator app. */
export const usualMethods: SecondStepMethods = { methods: ['totp', 'recovery'], preferred: 'totp' };

// First factors that do not prove the mailbox. A list of what is allowed, because an attacker with the
// mailbox also passes a code, a link and, for the many addresses whose mail the identity provider
// delivers, its sign-in: two proofs of one mailbox are one factor. A private sign-up with the address
// of an account is such a proof too.
const withoutMailbox: readonly string[] = ['password_login', 'passkey', 'phone_code'];

// One key is one factor, however often it is touched.
const withPasskey: readonly string[] = ['passkey', 'passkey_signup'];

/**
 * Returns the methods for the second step of a sign-in.
 * @param firstMethod the method of the first step. It cannot be repeated as the second.
 */
export function methodsAfter(
  firstMethod: string,
  { email, emailVerified }: { email: string | null; emailVerified: boolean },
  factors: SecondFactors | null,
  offered: OfferedMethods,
): SecondStepMethods {
  if (!factors) return usualMethods;
  const hasMailbox = email !== null && emailVerified;
  const isAvailable: Record<SecondFactorMethod, boolean> = {
    totp: true,
    passkey: offered.passkey && factors.passkeys > 0 && !withPasskey.includes(firstMethod),
    email: offered.email && factors.email && hasMailbox && withoutMailbox.includes(firstMethod),
    recovery: factors.recoveryCodes > 0,
  };
  const methods = secondFactorMethods.filter((method) => isAvailable[method]);
  const { preferred } = factors;
  return { methods, preferred: preferred !== null && isAvailable[preferred] ? preferred : 'totp' };
}
