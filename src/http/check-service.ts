/**
 * Checks the first argument of routers and guards when they are created, not at the first request.
 */
import type { Service } from '../engine/service.js';
import { ConfigError } from '../errors/catalog.js';
import { internals } from '../core/internals.js';

/**
 * @param name the called function, for the message.
 * @throws ConfigError if the argument is not a service.
 */
export function checkService(service: unknown, name: string): asserts service is Service {
  if (typeof service === 'object' && service !== null && internals in service) return;
  const message = 'must be the service that createService() returns: pass it as the first argument';
  throw new ConfigError([{ path: `${name}(service)`, message }]);
}
