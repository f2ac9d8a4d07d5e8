/** The routes of the Pro tier. `createAuthRouter` mounts the free ones. */
import type { Router } from 'express';
import type { Service } from '../engine/service.js';
import { OptionFaults } from '../core/support/options.js';
import { internals } from '../core/internals.js';
import { usualFreshMs } from '../core/sessions/sessions.js';
import { checkService } from './check-service.js';
import { createRouter } from './mount.js';
import { createRedirects, type RedirectOptions } from './redirects.js';
import { route, type Route } from './route.js';
import { finishOAuth, forwardOAuthForm, startOAuth } from './routes/identity-provider.js';
import {
  changeEmail,
  changePassword,
  changeProfile,
  confirmEmail,
  deleteAccount,
  exportAccount,
  getAccount,
  sendVerification,
  setLanguage,
  verifyEmail,
} from './routes/pro/account.js';
import { createApiKey, listApiKeys, revokeApiKey } from './routes/pro/api-keys.js';
import {
  listAllDevices,
  listDevices,
  revokeAnyDevice,
  revokeDevice,
  revokeOtherDevices,
} from './routes/pro/devices.js';
import { createGuest } from './routes/pro/guest.js';
import { sendUpgradeCode, upgradeGuest } from './routes/pro/guest-upgrades.js';
import { linkGoogle, linkOAuth, listIdentities, unlinkIdentity } from './routes/pro/identities.js';
import {
  getPendingMethods,
  sendSecondFactorCode,
  verifySecondFactor,
  verifySecondFactorCode,
} from './routes/pro/mfa.js';
import { finishSecondFactorPasskey, startSecondFactorPasskey } from './routes/pro/mfa-passkey.js';
import { createOrgApiKey, listOrgApiKeys, revokeOrgApiKey } from './routes/pro/org-api-keys.js';
import {
  acceptInvite,
  createInvite,
  declineInvite,
  listInvites,
  previewInvite,
  revokeInvite,
} from './routes/pro/org-invites.js';
import { listMembers, removeMember, setMemberRole } from './routes/pro/org-members.js';
import { createOrg, deleteOrg, getOrg, listOrgs, updateOrg } from './routes/pro/orgs.js';
import {
  finishAuthentication,
  finishRegistration,
  getPasskeySignals,
  listPasskeys,
  removePasskey,
  renamePasskey,
  startAuthentication,
  startAutofill,
  startRegistration,
} from './routes/pro/passkeys.js';
import { finishSignUp, sendSignUpCode, startSignUp } from './routes/pro/passkey-sign-up.js';
import {
  linkPhone,
  listPhones,
  removePhone,
  sendPhoneCode,
  sendPhoneLinkCode,
  verifyPhoneCode,
} from './routes/pro/phone.js';
import {
  disableEmailFactor,
  enableEmailFactor,
  getSecondFactor,
  listTrustedBrowsers,
  preferMethod,
  revokeTrustedBrowser,
  revokeTrustedBrowsers,
} from './routes/pro/second-factor.js';
import {
  issueTokens,
  listRefreshFamilies,
  refreshTokens,
  revokeRefreshFamily,
  revokeToken,
} from './routes/pro/token.js';
import {
  beginEnrollment,
  confirmEnrollment,
  disableTotp,
  getTotpState,
  regenerateRecoveryCodes,
} from './routes/pro/totp.js';
import { addApp, listApps, removeApp, renameApp } from './routes/pro/totp-apps.js';

export interface ProRouterOptions extends RedirectOptions {
  /**
   * How long ago a user may have signed in for changes that a forgotten session must not make, in
   * milliseconds. Default 600000.
   */
  freshMs?: number;
}

export const proRoutes: readonly Route[] = [
  route('GET', '/mfa', getPendingMethods),
  route('POST', '/mfa/verify', verifySecondFactor),
  route('POST', '/mfa/email/send', sendSecondFactorCode),
  route('POST', '/mfa/email/verify', verifySecondFactorCode),
  route('POST', '/mfa/passkey/start', startSecondFactorPasskey),
  route('POST', '/mfa/passkey/finish', finishSecondFactorPasskey),

  route('GET', '/totp', getTotpState),
  route('POST', '/totp/enroll', beginEnrollment),
  route('POST', '/totp/confirm', confirmEnrollment),
  route('POST', '/totp/recovery-codes', regenerateRecoveryCodes),
  route('POST', '/totp/disable', disableTotp),
  route('GET', '/totp/apps', listApps),
  route('POST', '/totp/apps', addApp),
  route('PATCH', '/totp/apps/:id', renameApp),
  route('DELETE', '/totp/apps/:id', removeApp),

  route('GET', '/second-factor', getSecondFactor),
  route('PUT', '/second-factor/preferred', preferMethod),
  route('POST', '/second-factor/email/enable', enableEmailFactor),
  route('POST', '/second-factor/email/disable', disableEmailFactor),

  route('GET', '/trusted-browsers', listTrustedBrowsers),
  route('DELETE', '/trusted-browsers/:id', revokeTrustedBrowser),
  route('POST', '/trusted-browsers/revoke-all', revokeTrustedBrowsers),

  route('GET', '/passkeys', listPasskeys),
  route('GET', '/passkeys/signals', getPasskeySignals),
  route('PATCH', '/passkeys/:id', renamePasskey),
  route('DELETE', '/passkeys/:id', removePasskey),
  route('POST', '/passkeys/register/start', startRegistration),
  route('POST', '/passkeys/register/finish', finishRegistration),
  route('POST', '/passkeys/authenticate/start', startAuthentication),
  route('POST', '/passkeys/authenticate/autofill', startAutofill),
  route('POST', '/passkeys/authenticate/finish', finishAuthentication),
  route('POST', '/passkeys/signup/send', sendSignUpCode),
  route('POST', '/passkeys/signup/start', startSignUp),
  route('POST', '/passkeys/signup/finish', finishSignUp),

  route('GET', '/devices', listDevices),
  route('GET', '/devices/all', listAllDevices),
  route('DELETE', '/devices/:id', revokeDevice),
  route('DELETE', '/devices/:kind/:id', revokeAnyDevice),
  route('POST', '/devices/revoke-others', revokeOtherDevices),

  route('GET', '/oauth/:name/start', startOAuth),
  route('GET', '/oauth/:name/callback', finishOAuth),
  route('POST', '/oauth/:name/callback', forwardOAuthForm),
  route('POST', '/oauth/:name/link', linkOAuth),
  route('POST', '/google/link', linkGoogle),
  route('GET', '/identities', listIdentities),
  route('DELETE', '/identities/:id', unlinkIdentity),

  route('POST', '/phone/send', sendPhoneCode),
  route('POST', '/phone/verify', verifyPhoneCode),
  route('POST', '/phone/link/send', sendPhoneLinkCode),
  route('POST', '/phone/link', linkPhone),
  route('GET', '/phones', listPhones),
  route('DELETE', '/phones/:id', removePhone),

  route('POST', '/token/issue', issueTokens),
  route('POST', '/token/refresh', refreshTokens),
  route('POST', '/token/revoke', revokeToken),
  route('GET', '/tokens', listRefreshFamilies),
  route('DELETE', '/tokens/:id', revokeRefreshFamily),

  route('GET', '/api-keys', listApiKeys),
  route('POST', '/api-keys', createApiKey),
  route('DELETE', '/api-keys/:id', revokeApiKey),

  route('GET', '/orgs', listOrgs),
  route('POST', '/orgs', createOrg),
  route('GET', '/orgs/:id', getOrg),
  route('PATCH', '/orgs/:id', updateOrg),
  route('DELETE', '/orgs/:id', deleteOrg),
  route('GET', '/orgs/:id/members', listMembers),
  route('PUT', '/orgs/:id/members/:userId', setMemberRole),
  route('DELETE', '/orgs/:id/members/:userId', removeMember),
  route('GET', '/orgs/:id/invites', listInvites),
  route('POST', '/orgs/:id/invites', createInvite),
  route('DELETE', '/orgs/:id/invites/:inviteId', revokeInvite),
  route('POST', '/orgs/invites/preview', previewInvite),
  route('POST', '/orgs/invites/accept', acceptInvite),
  route('POST', '/orgs/invites/decline', declineInvite),
  route('GET', '/orgs/:id/api-keys', listOrgApiKeys),
  route('POST', '/orgs/:id/api-keys', createOrgApiKey),
  route('DELETE', '/orgs/:id/api-keys/:keyId', revokeOrgApiKey),

  route('GET', '/account', getAccount),
  route('DELETE', '/account', deleteAccount),
  route('GET', '/account/export', exportAccount),
  route('POST', '/account/password', changePassword),
  route('POST', '/account/verify-email/send', sendVerification),
  route('POST', '/account/verify-email', verifyEmail),
  route('POST', '/account/email', changeEmail),
  route('POST', '/account/email/confirm', confirmEmail),
  route('PUT', '/account/language', setLanguage),
  route('PATCH', '/account/profile', changeProfile),

  route('POST', '/guest', createGuest),
  route('POST', '/guest/upgrade/send', sendUpgradeCode),
  route('POST', '/guest/upgrade', upgradeGuest),
];

/**
 * Returns a router with the routes of the Pro tier, to be mounted next to the free ones:
 * `app.use('/api/auth', createAuthRouter(service), createProRouter(service))`. Callers act on their
 * own account only.
 * @throws ConfigError if the first argument is not a service, if a redirect target is neither a path
 * nor an http(s) URL, and if the options contain an unknown name or an invalid `freshMs`;
 * InvalidRequestError if the options are not an object.
 */
export function createProRouter(service: Service, options: ProRouterOptions = {}): Router {
  checkService(service, 'createProRouter');
  const faults = new OptionFaults('createProRouter');
  const { freshMs = usualFreshMs, successRedirect, failureRedirect, ...others } = faults.of(options);
  faults.milliseconds(freshMs, 'freshMs');
  faults.unknown(others, ['freshMs', 'successRedirect', 'failureRedirect']);
  faults.throwIfAny();
  service[internals].createdRouters.add('createProRouter');
  const redirects = createRedirects({ successRedirect, failureRedirect }, service[internals].pageTargets);
  return createRouter(proRoutes, { service, redirects, freshMs });
}
