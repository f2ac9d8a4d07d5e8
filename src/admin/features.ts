/** The parts of the Pro tier that the application has configured. */
import type { Service } from '../engine/service.js';
import { available } from '../pages-kit/available.js';

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
