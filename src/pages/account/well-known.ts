/** The addresses at which browsers and password managers look for the pages of passwords and passkeys. */
import type { WellKnownTargets } from '../../core/internals.js';
import { respondWellKnown, wellKnownNames } from '../../http/well-known.js';
import type { PageRoute } from '../../pages-kit/page-router.js';
import type { Configured } from '../configured.js';
import type { Settings } from '../options.js';
import type { Paths } from '../paths.js';
import { resetPage } from '../reset/reset.js';
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
  const offered = configured();
  const account = base + paths.account;
  const password = passwordTarget(offered, paths);
  return {
    ...(password !== null && { changePassword: base + password }),
    ...(addPage.isOffered(offered.offers) && {
      addPasskey: account + addPage.path,
      passkeys: `${account}/security`,
    }),
  };
}

/** Without the page that changes a password, a user gets a new one by a reset. Null if there is neither. */
function passwordTarget({ features, offers }: Configured, paths: Paths): string | null {
  if (passwordPage.isOffered(offers)) return paths.account + passwordPage.path;
  // Without resets, that page leads to the sign-in.
  return resetPage.isOffered(features) && features.passwordReset !== null ? resetPage.path(paths) : null;
}
