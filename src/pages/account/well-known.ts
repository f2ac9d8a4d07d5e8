/** The addresses at which browsers and password managers look for the pages of passwords and passkeys. */
import type { WellKnownTargets } from '../../core/internals.js';
import { respondWellKnown, wellKnownNames } from '../../http/well-known.js';
import type { PageRoute } from '../../pages-kit/page-router.js';
import type { Settings } from '../options.js';
import { enter } from '../visit.js';
import { addPage } from './security/passkeys.js';
import { passwordPage } from './security/password.js';

/** Only effective if the pages are mounted at the root. Elsewhere, the application has `wellKnownRoutes`. */
export function accountWellKnownRoutes(settings: Settings): PageRoute[] {
  return wellKnownNames.map((name) => ({
    method: 'GET',
    path: `/.well-known/${name}`,
    async handle(req, res, next) {
      const { base } = enter(settings, req, res);
      respondWellKnown(settings.service, name, wellKnownTargets(settings, base), req, res, next);
    },
  }));
}

/** @param base where the pages are mounted. */
export function wellKnownTargets({ configured, paths }: Settings, base: string): WellKnownTargets {
  const { offers } = configured();
  const account = base + paths.account;
  return {
    ...(passwordPage.isOffered(offers) && { changePassword: account + passwordPage.path }),
    ...(addPage.isOffered(offers) && {
      addPasskey: account + addPage.path,
      passkeys: `${account}/security`,
    }),
  };
}
