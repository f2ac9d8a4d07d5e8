/** What the application has configured: the pages show nothing else. */
import type { Service } from '../engine/service.js';
import { internals } from '../core/internals.js';
import { available } from '../pages-kit/available.js';

/** Returns true if the function does not throw because a part is not configured. */
function isConfigured(check: () => unknown): boolean {
  return (
    available(() => {
      check();
      return true;
    }) === true
  );
}

/** What mails a code for the address that an account has. Null if nothing does. */
export function verificationOf(service: Service) {
  const account = available(() => service.account);
  if (account?.mailsCodes) return account;
  return available(() => {
    service.emailPassword.assertVerificationEnabled();
    return service.emailPassword;
  });
}

/** The sign-in methods that use the JSON routes, whether or not these exist. */
export function methodsByRoutes(service: Service) {
  return {
    google: available(() => service.google),
    oauth: service.licensed ? service.oauthProviders : [],
    /** Sign-in with a passkey also works without a license: users who have one must be able to sign in. */
    passkeys: available(() => service[internals].existing.webauthn()),
  };
}

/** Read at every request, because a license can expire. */
export function featuresOf(service: Service) {
  const { createdRouters } = service[internals];
  const { google, oauth, passkeys } = methodsByRoutes(service);
  const hasProRoutes = createdRouters.has('createProRouter');
  return {
    code: available(() => service.emailCode),
    link: available(() => service.magicLink),
    password: available(() => service.emailPassword),
    google: createdRouters.has('createAuthRouter') ? google : null,
    webauthn: available(() => service.webauthn),
    /** For the second step, whose forms need no JSON routes. */
    passkeys,
    hasPasskeySignIn: passkeys !== null && hasProRoutes,
    /** Where the address of an account comes from that begins with a passkey. Null if none can. */
    passkeySignUp: isConfigured(() => service.webauthn.assertSignUpEnabled())
      ? service[internals].passkeyAddress
      : null,
    phone: available(() => service.phoneOtp),
    isPrivateSignUp: service[internals].isPrivateSignUp,
    hasUsernames: isConfigured(() => service.usernames.assertEnabled()),
    addresses: available(() => service.account),
    orgs: available(() => service.orgs),
    /** Also without a license: an account that has a second factor needs it. */
    secondFactor: available(() => service[internals].existing.totp()),
    /** Further methods of the second step: codes by email. */
    otherSecondSteps: available(() => service[internals].existing.secondFactor()),
    hasTrust: service[internals].trustsBrowsers,
    minPasswordLength: service[internals].passwordOptions?.minLength ?? 0,
    /** Whether a reset mails a link, a code, or both. Null if passwords cannot be reset. */
    passwordReset: service[internals].passwordOptions?.reset ?? null,
    hasLinkCode: isConfigured(() => service.magicLink.assertCodeEnabled()),
    /** Whether a sign-up with a password mails a code for the address. */
    hasVerification: isConfigured(() => service.emailPassword.assertVerificationEnabled()),
    verification: verificationOf(service),
    codeDigits: service[internals].codeDigits,
    oauth: hasProRoutes ? oauth : [],
  };
}
export type Features = ReturnType<typeof featuresOf>;
