/** The address at which password managers look for the change of a password (W3C, A Well-Known URL for Changing Passwords). */
import type { PageRoute } from '../../pages-kit/page-router.js';
import type { Settings } from '../options.js';
import { enter, follow } from '../visit.js';
import { passwordPage } from './security/password.js';

/** Leads to the page of the password, which asks for a sign-in first. Only effective if the pages are mounted at the root. */
export function changePasswordRoute(settings: Settings): PageRoute {
  return {
    method: 'GET',
    path: '/.well-known/change-password',
    async handle(req, res, next) {
      if (!passwordPage.isOffered(settings.configured().offers)) return next();
      follow(enter(settings, req, res), { to: settings.paths.account + passwordPage.path });
    },
  };
}
