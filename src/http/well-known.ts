/**
 * The well-known addresses for browsers and password managers (RFC 8615): where a password is changed (W3C, A Well-Known URL for Changing
 * Passwords), where passkeys are created and managed (W3C, A Well-Known URL for Relying Party Passkey Endpoints), and which other domains
 * can use the passkeys (WebAuthn Level 3, 5.11.1).
 */
import type { NextFunction, Request, Response, Router } from 'express';
import type { Service } from '../engine/service.js';
import { OptionFaults } from '../core/support/options.js';
import { internals, type WellKnownTargets } from '../core/internals.js';
import { loadExpress } from '../runtime/load.js';
import { checkService } from './check-service.js';
import { isTarget, redirect } from './redirects.js';
import { sendJson, setResponseHeaders } from './respond.js';

/** Paths of your pages, such as `/settings/password`, or https URLs. By default those of `svc-auth/pages`, if the application has them. */
export interface WellKnownOptions {
  /** Where a user changes the password. By default the page of a reset, if the pages have no other. */
  changePassword?: string;
  /** Where a user creates a passkey. */
  addPasskey?: string;
  /** Where a user finds the own passkeys. */
  passkeys?: string;
}

export const wellKnownNames = ['change-password', 'passkey-endpoints', 'webauthn'] as const;
export type WellKnownName = (typeof wellKnownNames)[number];

/**
 * Returns a router with `/.well-known/change-password`, `/.well-known/passkey-endpoints` and `/.well-known/webauthn`. Mount it at the root:
 * `app.use(wellKnownRoutes(service))`. What the service does not have, and has no page for, is left to the application. The pages of
 * `svc-auth/pages` contain the same routes, and need this router only if they are mounted elsewhere.
 * @throws ConfigError if the first argument is not a service, and if an option is unknown or is not a path or an https URL.
 */
export function wellKnownRoutes(service: Service, options: WellKnownOptions = {}): Router {
  checkService(service, 'wellKnownRoutes');
  const given = checked(options);
  const router = loadExpress().Router();
  for (const name of wellKnownNames)
    router.get(`/.well-known/${name}`, (req, res, next) => {
      const targets = { ...service[internals].pageTargets.wellKnown?.(), ...given };
      respondWellKnown(service, name, targets, req, res, next);
    });
  return router;
}

function checked(options: WellKnownOptions): WellKnownOptions {
  const faults = new OptionFaults('wellKnownRoutes');
  const { changePassword, addPasskey, passkeys, ...others } = faults.of(options);
  const given = { changePassword, addPasskey, passkeys };
  faults.unknown(others, Object.keys(given));
  const known = Object.entries(given).filter(([, target]) => target !== undefined);
  for (const [name, target] of known)
    faults.check(isPageTarget(target), name, 'must be a path such as /settings/password, or an https URL');
  faults.throwIfAny();
  return Object.fromEntries(known);
}

/** Browsers ask for the page over https too. */
function isPageTarget(target: unknown): boolean {
  return isTarget(target) && (target.startsWith('/') || target.startsWith('https://'));
}

/** Calls `next` if the service has nothing to say. */
export function respondWellKnown(
  service: Service,
  name: WellKnownName,
  targets: WellKnownTargets,
  req: Request,
  res: Response,
  next: NextFunction,
): void {
  if (name === 'change-password') {
    if (targets.changePassword === undefined) return next();
    return redirect(res, targets.changePassword, 303);
  }
  const answer = name === 'webauthn' ? relatedOrigins(service) : passkeyEndpoints(service, targets, req);
  if (!answer) return next();
  setResponseHeaders(res);
  sendJson(res, answer);
}

/** Origins at the domain itself need no permission, and are not listed. */
function relatedOrigins(service: Service): { origins: readonly string[] } | null {
  const origins = partyOf(service)?.relatedOrigins ?? [];
  return origins.length > 0 ? { origins } : null;
}

function passkeyEndpoints(
  service: Service,
  { addPasskey, passkeys }: WellKnownTargets,
  req: Request,
): { enroll?: string; manage?: string } | null {
  const party = partyOf(service);
  if (!party || (addPasskey === undefined && passkeys === undefined)) return null;
  const origins = party.origins.filter((origin) => origin.startsWith('http'));
  // The header is only compared: no request makes the document name another site.
  const origin = origins.find((each) => new URL(each).host === req.headers.host) ?? origins[0];
  const urlOf = (target: string) => new URL(target, origin ?? `https://${party.rpId}`).href;
  return {
    ...(addPasskey !== undefined && { enroll: urlOf(addPasskey) }),
    ...(passkeys !== undefined && { manage: urlOf(passkeys) }),
  };
}

function partyOf(service: Service) {
  return service.features.existing.webauthn ? service[internals].existing.webauthn().relyingParty : null;
}
