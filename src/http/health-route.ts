/** A route for load balancers and monitors: `app.get('/health', healthRoute(service))`. */
import type { Request } from 'express';
import { OptionFaults } from '../core/support/options.js';
import type { Service } from '../engine/service.js';
import { checkService } from './check-service.js';
import type { Guard } from './guard.js';
import { sendJson, setResponseHeaders } from './respond.js';

export interface HealthRouteOptions {
  /** Whether the response says which check has failed, and how long each took: always, or for some requests. Default: false. */
  details?: boolean | ((req: Request) => boolean | Promise<boolean>);
  /** How long each check may take, in milliseconds. Default: 2000. */
  timeoutMs?: number;
}

/**
 * Returns a handler that responds with 200 `{ ok: true }` if the service can serve requests, and with 503 `{ ok: false }` otherwise.
 * Caches do not store the response. Requests at the same time share one check.
 * @throws ConfigError if the first argument is not a service, or an option is invalid.
 */
export function healthRoute(service: Service, options: HealthRouteOptions = {}): Guard {
  checkService(service, 'healthRoute');
  const faults = new OptionFaults('healthRoute');
  const { details = false, timeoutMs, ...others } = faults.of(options);
  faults.unknown(others, ['details', 'timeoutMs']);
  faults.check(
    ['boolean', 'function'].includes(typeof details),
    'details',
    'must be true, false, or a function that returns one of them',
  );
  if (timeoutMs !== undefined) faults.milliseconds(timeoutMs, 'timeoutMs');
  faults.throwIfAny();
  const limits = timeoutMs === undefined ? {} : { timeoutMs };
  return (req, res, next) => {
    const respond = async () => {
      const health = await service.health(limits);
      const mayKnow = typeof details === 'function' ? (await details(req)) === true : details;
      setResponseHeaders(res);
      sendJson(res, mayKnow ? health : { ok: health.ok }, health.ok ? 200 : 503);
    };
    respond().catch(next);
  };
}
