/** The routes of the free tier: those of specification 4.1, and those of options that are off by default. */
import type { Router } from 'express';
import type { Service } from '../engine/service.js';
import { OptionFaults } from '../core/support/options.js';
import { internals } from '../core/internals.js';
import { checkService } from './check-service.js';
import { createRouter } from './mount.js';
import { createRedirects, type RedirectOptions } from './redirects.js';
import { route, type Route } from './route.js';
import { sendEmailCode, verifyEmailCode } from './routes/email-code.js';
import { listConnectedApps, removeConnectedApp } from './routes/connected-apps.js';
import { finishGoogle, startGoogle } from './routes/identity-provider.js';
import {
  confirmMagicLink,
  confirmMagicLinkPage,
  sendMagicLink,
  verifyMagicLink,
  verifyMagicLinkCode,
} from './routes/magic-link.js';
import { confirmNotMe, showNotMe } from './routes/not-me.js';
import {
  finishSignUp,
  resendSignUp,
  login,
  requestReset,
  resetPassword,
  sendAddressCode,
  signup,
  verifyAddress,
} from './routes/password.js';
import { currentSession, logout, refreshSession } from './routes/session.js';
import { completeSignUp } from './routes/sign-up.js';
import { changeUsername, getUsername } from './routes/username.js';

export type AuthRouterOptions = RedirectOptions;

export const freeRoutes: readonly Route[] = [
  // First, because every page calls it and Express tries the routes in order.
  route('GET', '/session', currentSession),
  route('POST', '/email-code/send', sendEmailCode),
  route('POST', '/email-code/verify', verifyEmailCode),
  route('POST', '/magic-link/send', sendMagicLink),
  route('GET', '/magic-link/verify', verifyMagicLink),
  route('POST', '/password/signup', signup),
  route('POST', '/password/login', login),
  route('POST', '/password/request-reset', requestReset),
  route('POST', '/password/reset', resetPassword),
  route('GET', ['/google/start', '/idp/start'], startGoogle),
  route('GET', ['/google/callback', '/idp/callback'], finishGoogle),
  route('POST', '/logout', logout),

  // Opt-in, and not in the table of the specification.
  route('POST', '/password/signup/resend', resendSignUp),
  route('POST', '/password/signup/verify', finishSignUp),
  route('POST', '/sign-up/complete', completeSignUp),
  route('POST', '/magic-link/verify', confirmMagicLinkPage),
  route('POST', '/magic-link/confirm', confirmMagicLink),
  route('POST', '/magic-link/verify-code', verifyMagicLinkCode),
  route('GET', '/not-me', showNotMe),
  route('POST', '/not-me', confirmNotMe),
  route('POST', '/session/refresh', refreshSession),
  route('POST', '/password/verify-email/send', sendAddressCode),
  route('POST', '/password/verify-email', verifyAddress),
  route('GET', '/username', getUsername),
  route('PUT', '/username', changeUsername),
  route('GET', '/connected-apps', listConnectedApps),
  route('DELETE', '/connected-apps/:clientId', removeConnectedApp),
];

/**
 * Returns a router with the free routes: `app.use('/api/auth', createAuthRouter(service))`. It
 * needs neither a body parser nor a cookie parser, and works with both.
 * @throws ConfigError if the first argument is not a service, or if a redirect target is neither a
 * path nor an http(s) URL.
 */
export function createAuthRouter(service: Service, options: AuthRouterOptions = {}): Router {
  checkService(service, 'createAuthRouter');
  // None of these routes has `recent` access: 0 would refuse every sign-in.
  const faults = new OptionFaults('createAuthRouter');
  const { successRedirect, failureRedirect, ...others } = faults.of(options);
  faults.unknown(others, ['successRedirect', 'failureRedirect']);
  faults.throwIfAny();
  service[internals].createdRouters.add('createAuthRouter');
  const redirects = createRedirects({ successRedirect, failureRedirect }, service[internals].pageTargets);
  return createRouter(freeRoutes, { service, redirects, freshMs: 0 });
}
