/** What the application has configured: the pages show nothing else. */
import type { Service } from '../engine/service.js';
import { internals } from '../core/support/internals.js';
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

/** Read at every request, because a license can expire. */
export function featuresOf(service: Service) {
  return {
    code: available(() => service.emailCode),
    link: available(() => service.magicLink),
    password: available(() => service.emailPassword),
    google: available(() => service.google),
    webauthn: available(() => service.webauthn),
    orgs: available(() => service.orgs),
    /** Also without a license: an account that has a second factor needs it. */
    secondFactor: available(() => service[internals].existing.totp()),
    /** Further methods of the second step: codes by email. */
    otherSecondSteps: available(() => service[internals].existing.secondFactor()),
    hasTrust: service[internals].trustsBrowsers,
    hasLinkCode: isConfigured(() => service.magicLink.assertCodeEnabled()),
    hasVerification: isConfigured(() => service.emailPassword.assertVerificationEnabled()),
    codeDigits: service[internals].codeDigits,
    oauth: service.licensed ? service.oauthProviders : [],
  };
}
export type Features = ReturnType<typeof featuresOf>;
