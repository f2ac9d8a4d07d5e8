/** The passkeys of an account that was deleted. The browser that has them still offers them. */
import type { Service } from '../engine/service.js';
import { internals } from '../core/internals.js';

/** Returns what `PublicKeyCredential.signalAllAcceptedCredentials` takes, next to an empty list. Empty if the service has no passkeys. */
export function deletedPasskeys(
  service: Service,
  userId: string,
): { passkeys?: { rpId: string; userId: string } } {
  if (!service.features.existing.webauthn) return {};
  return { passkeys: service[internals].existing.webauthn().passkeysOf(userId) };
}
