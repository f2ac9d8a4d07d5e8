/** The parts of the Pro tier that the application has configured. */
import type { Service } from '../engine/service.js';

/** Read at every request, because a license can expire. */
export function featuresOf(service: Service) {
  const has = service.features;
  return {
    account: has.account ? service.account : null,
    apiKeys: has.apiKeys ? service.apiKeys : null,
    orgs: has.orgs ? service.orgs : null,
    refresh: has.refresh ? service.refresh : null,
    sessions: has.sessionsProvider ? service.sessionsProvider : null,
    totp: has.totp ? service.totp : null,
    webauthn: has.webauthn ? service.webauthn : null,
  };
}
export type Features = ReturnType<typeof featuresOf>;
