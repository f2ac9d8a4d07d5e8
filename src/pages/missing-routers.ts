/** The JSON routes that the pages need: for passkeys, identity providers and mailed links. Without them, a button would lead nowhere. */
import type { Service } from '../engine/service.js';
import { internals, type RouterName } from '../core/internals.js';
import { methodsByRoutes } from './features.js';
import type { Settings } from './options.js';

/** Logs which routes are missing. Called with the first request, because routers may be created after the pages. */
export function warnOfMissingRouters({ authPath, service }: Settings): void {
  const { createdRouters, logger } = service[internals];
  const missing = neededRouters(service).filter(([router]) => !createdRouters.has(router));
  for (const [router, parts] of missing)
    logger.warn(
      { router },
      `createPages: ${parts.join(', ')} need the routes of ${router}, which are missing: app.use('${authPath || '/'}', createAuthRouter(service), createProRouter(service))`,
    );
}

/** The routers that the configuration needs, and what needs them. */
function neededRouters(service: Service): [RouterName, string[]][] {
  const { google, oauth, passkeys } = methodsByRoutes(service);
  const free = [...(service.features.magicLink ? ['mailed links'] : []), ...(google ? ['google'] : [])];
  const pro = [...(passkeys ? ['passkeys'] : []), ...oauth];
  const needed: [RouterName, string[]][] = [
    ['createAuthRouter', free],
    ['createProRouter', pro],
  ];
  return needed.filter(([, parts]) => parts.length > 0);
}
