/** The options of the admin pages. */
import type { Service } from '../engine/service.js';
import { usualFreshMs } from '../core/sessions/sessions.js';
import { OptionFaults } from '../core/support/options.js';
import type { Authorize } from '../http/admin-permission.js';
import { isTarget } from '../http/redirects.js';
import { createAdminLanguages, type AdminLanguages } from './language.js';

export interface AdminPagesOptions {
  /**
   * Decides whether the signed-in user may perform an action. Asked at every request, and by the page of a user once for each action
   * that the page could offer.
   */
  authorize: Authorize;
  /** How long ago an administrator may have signed in for changes, in milliseconds. Default 600000. */
  freshMs?: number;
  /** The name of the application, for the header of the pages. Default `Admin`. */
  name?: string;
  /** A path of the application: the target of the link back, and of an impersonation. Default `/`. */
  homeUrl?: string;
  /**
   * The page on which an administrator signs in, and signs in again for a change. A function receives the path of the page to return
   * to. Without it, the pages ask to sign in, without a link.
   */
  signInUrl?: string | ((returnTo: string) => string);
}

export interface Settings {
  service: Service;
  authorize: Authorize;
  freshMs: number;
  name: string;
  homeUrl: string;
  signInUrl: ((returnTo: string) => string) | null;
  languages: AdminLanguages;
}

/** @throws ConfigError as `createAdminPages`. */
export function parseOptions(service: Service, options: AdminPagesOptions): Settings {
  const faults = new OptionFaults('createAdminPages');
  const { authorize, freshMs = usualFreshMs, name, homeUrl, signInUrl, ...others } = faults.of(options);
  const report = (option: string, message: string) => faults.check(false, option, message);
  if (typeof authorize !== 'function')
    report('authorize', 'must be a function that returns whether a user may perform an action');
  if (name !== undefined && (typeof name !== 'string' || name.trim() === ''))
    report('name', 'must be a string that is not empty');
  if (homeUrl !== undefined && !(isTarget(homeUrl) && homeUrl.startsWith('/')))
    report('homeUrl', 'must be a path that starts with one /');
  if (signInUrl !== undefined && typeof signInUrl !== 'function' && !isTarget(signInUrl))
    report('signInUrl', 'must be a path that starts with one /, an http(s) URL, or a function');
  faults.milliseconds(freshMs, 'freshMs');
  faults.unknown(others, ['authorize', 'freshMs', 'name', 'homeUrl', 'signInUrl']);
  faults.throwIfAny();
  return {
    service,
    authorize: authorize!,
    freshMs,
    name: name ?? 'Admin',
    homeUrl: homeUrl ?? '/',
    signInUrl: typeof signInUrl === 'string' ? () => signInUrl : (signInUrl ?? null),
    languages: createAdminLanguages(service),
  };
}
