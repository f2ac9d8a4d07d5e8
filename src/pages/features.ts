/** What the application has configured: the pages show nothing else. */
import type { Service } from '../engine/service.js';
import { isServiceError } from '../errors/service-error.js';

/** Returns a provider, or null if it is not configured or not licensed. */
function available<Provider>(accessor: () => Provider): Provider | null {
  try {
    return accessor();
  } catch (error) {
    const isAbsent =
      isServiceError(error) && ['license_required', 'provider_not_configured'].includes(error.code);
    if (!isAbsent) throw error;
    return null;
  }
}

/** Read at every request, because a license can expire. */
export function featuresOf(service: Service) {
  return {
    code: available(() => service.emailCode),
    link: available(() => service.magicLink),
    password: available(() => service.emailPassword),
    google: available(() => service.google),
    usernames: available(() => service.usernames),
    webauthn: available(() => service.webauthn),
  };
}
export type Features = ReturnType<typeof featuresOf>;
