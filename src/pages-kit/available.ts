/** What the application has configured: pages do not show what is missing. */
import { isServiceError } from '../errors/service-error.js';

/**
 * Returns a provider, or null if it is not configured or not licensed.
 * @param accessor for example `() => service.orgs`.
 */
export function available<Provider>(accessor: () => Provider): Provider | null {
  try {
    return accessor();
  } catch (error) {
    const isAbsent =
      isServiceError(error) && ['license_required', 'provider_not_configured'].includes(error.code);
    if (!isAbsent) throw error;
    return null;
  }
}
