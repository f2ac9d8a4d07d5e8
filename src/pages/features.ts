/** What the application has configured: the pages show nothing else. */
import type { Service } from '../engine/service.js';
import { internals } from '../core/internals.js';

/** What changes addresses. Null if it has no sender. */
export function addressesOf(service: Service) {
  return service.features.addressCodes ? service.account : null;
}

/** What mails a code for the address that an account has. Null if nothing does. */
export function verificationOf(service: Service) {
  return addressesOf(service) ?? (service.features.signUpVerification ? service.emailPassword : null);
}

/** The sign-in methods that use the JSON routes, whether or not these exist. */
export function methodsByRoutes(service: Service) {
  const { existing, google, oauth } = service.features;
  return {
    google: google ? service.google : null,
    oauth,
    /** Sign-in with a passkey also works without a license: users who have one must be able to sign in. */
    passkeys: existing.webauthn ? service[internals].existing.webauthn() : null,
  };
}

export function featuresOf(service: Service) {
  const { consents, createdRouters, existing, signUpFields, trustDays } = service[internals];
  const has = service.features;
  const { google, oauth, passkeys } = methodsByRoutes(service);
  const hasProRoutes = createdRouters.has('createProRouter');
  return {
    code: has.emailCode ? service.emailCode : null,
    link: has.magicLink ? service.magicLink : null,
    password: has.emailPassword ? service.emailPassword : null,
    google: createdRouters.has('createAuthRouter') ? google : null,
    webauthn: has.webauthn ? service.webauthn : null,
    /** For the second step, whose forms need no JSON routes. */
    passkeys,
    hasPasskeySignIn: passkeys !== null && hasProRoutes,
    /** Where the address of an account comes from that begins with a passkey. Null if none can. */
    passkeySignUp: has.passkeySignUp,
    phone: has.phoneOtp ? service.phoneOtp : null,
    isSignUpOpen: has.signUpEnabled,
    isPrivateSignUp: has.privateSignUp,
    hasUsernames: has.usernames,
    /** Whether a sign-up with a password and a user name may omit the address. */
    signsUpWithoutEmail: has.signUpWithoutEmail,
    /** Whether sign-ups need fields of the application. */
    hasSignUpFields: signUpFields !== undefined,
    /** Confirms an address, with a code of `webauthn.signUp` also without changes of addresses. */
    account: has.account ? service.account : null,
    addresses: addressesOf(service),
    /** Where users decide about the requests of the OAuth server. It can be created after the pages. */
    consents,
    orgs: has.orgs ? service.orgs : null,
    /** Also without a license: an account that has a second factor needs it. */
    secondFactor: has.existing.totp ? existing.totp() : null,
    /** Further methods of the second step: codes by email. */
    otherSecondSteps: existing.secondFactor(),
    /** For how many days the second step can trust a browser. Null if it cannot. */
    trustDays,
    minPasswordLength: has.password?.minLength ?? 0,
    /** Whether a reset mails a link, a code, or both. Null if passwords cannot be reset. */
    passwordReset: has.password?.reset ?? null,
    hasLinkCode: has.magicLinkCode,
    linkTtlMs: has.magicLinkTtlMs,
    /** Whether a sign-up with a password mails a code for the address. */
    hasVerification: has.signUpVerification,
    verification: verificationOf(service),
    codeDigits: has.codeLength,
    oauth: hasProRoutes ? oauth : [],
  };
}
export type Features = ReturnType<typeof featuresOf>;
