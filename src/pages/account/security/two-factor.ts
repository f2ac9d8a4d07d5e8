/** Two-factor authentication: the authenticator apps, the other methods of the second step, and the recovery codes. */
import { maxTotpApps } from '../../../domain/totp.js';
import { fewRecoveryCodes } from '../../../domain/second-factor.js';
import { everyRow } from '../list.js';
import { at, pathOf, type ShownVisit } from '../page.js';
import type { AccountTwoFactorView } from '../views.js';
import { preferableOf, preferredOf, secondStepsOf } from './second-steps.js';

const off: AccountTwoFactorView = {
  isOn: false,
  apps: [],
  canAddApp: true,
  email: null,
  passkeys: null,
  preferred: null,
  recoveryCodes: { left: 0, areFew: false },
};

/** Null if it is not offered. */
export async function twoFactorOf(visit: ShownVisit): Promise<AccountTwoFactorView | null> {
  const { context, me, offers, record, words } = visit;
  if (!offers.totp || record.isGuest) return null;
  if (!record.twoFactor) return off;
  const [apps, { recoveryCodesLeft: left }, steps, passkeys] = await Promise.all([
    offers.totp.listApps(me.id, context),
    offers.totp.state(me.id, context),
    secondStepsOf(visit),
    passkeysOf(visit),
  ]);
  return {
    isOn: true,
    apps: apps.map(({ id, name, createdAt, lastUsedAt }) => ({
      name,
      createdAt,
      lastUsedAt,
      renamePath: at(visit, pathOf('/security/authenticator/:id/rename', id)),
      removePath: at(visit, pathOf('/security/authenticator/:id/remove', id)),
    })),
    canAddApp: apps.length < maxTotpApps,
    // The end is offered also if the application no longer mails codes.
    email:
      offers.secondSteps.email || steps.email
        ? { isOn: steps.email, address: record.emailVerified ? record.email : null }
        : null,
    passkeys,
    preferred: preferableOf(steps).length < 2 ? null : words.authenticator.methods[preferredOf(steps)],
    recoveryCodes: { left, areFew: left <= fewRecoveryCodes },
  };
}

/** Every passkey of the user is a second step, if the application allows it. */
async function passkeysOf({ context, me, offers }: ShownVisit): Promise<AccountTwoFactorView['passkeys']> {
  if (!offers.secondSteps.passkey || !offers.webauthn) return null;
  const { credentials } = await offers.webauthn.listCredentials(me.id, everyRow, context);
  return { isOn: credentials.length > 0 };
}
