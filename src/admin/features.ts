/** The parts of the Pro tier that the application has configured. */
import type { Service } from '../engine/service.js';
import { isServiceError } from '../errors/service-error.js';

/**
 * Returns a provider, or null if it is not configured or not licensed: the pages do not show what it would.
 * @param accessor for example `() => service.orgs`.
 */
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
    account: available(() => service.account),
    apiKeys: available(() => service.apiKeys),
    orgs: available(() => service.orgs),
    refresh: available(() => service.refresh),
    sessions: available(() => service.sessionsProvider),
    totp: available(() => service.totp),
    webauthn: available(() => service.webauthn),
  };
}
export type Features = ReturnType<typeof featuresOf>;
