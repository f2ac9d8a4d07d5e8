/** What the records of an account say, in the language of the page. */
import type { AuditActivity } from '../../domain/audit.js';
import type { ServiceEventName } from '../../core/support/events.js';
import type { AccountVisit } from './page.js';

type Sentences = AccountVisit['words']['activity'];

/** By action. The others are changes that need no sentence: the page says that the account has changed. */
const byAction: Partial<Record<ServiceEventName, keyof Sentences['actions']>> = {
  'user.created': 'accountCreated',
  'user.upgraded': 'accountCreated',
  'user.updated': 'accountUpdated',
  'user.blocked': 'blocked',
  'user.unblocked': 'unblocked',
  'sign_in.failed': 'signInFailed',
  'session.impersonated': 'impersonated',
  'session.revoked': 'signedOut',
  'session.all_revoked': 'signedOutEverywhere',
  'lockdown.started': 'signedOutEverywhere',
  'refresh.issued': 'appSignedIn',
  'refresh.revoked': 'signedOut',
  'refresh.all_revoked': 'signedOutEverywhere',
  'refresh.reuse_detected': 'copied',
  'passkey.counter_regressed': 'copied',
  'account.secured': 'secured',
  'audit.anonymized': 'originsRemoved',
  'password.added': 'passwordSet',
  'password.changed': 'passwordChanged',
  'password.set': 'passwordChanged',
  'password.reset': 'passwordReset',
  'username.changed': 'usernameChanged',
  'profile.changed': 'profileChanged',
  'email.changed': 'emailChanged',
  'email.verified': 'emailVerified',
  'language.changed': 'languageChanged',
  'identity.linked': 'accountConnected',
  'identity.unlinked': 'accountDisconnected',
  'totp.enabled': 'twoFactorOn',
  'totp.disabled': 'twoFactorOff',
  'totp.recovery_codes_replaced': 'recoveryCodesReplaced',
  'totp.recovery_code_used': 'recoveryCodeUsed',
  'totp.app_added': 'authenticatorAdded',
  'totp.app_removed': 'authenticatorRemoved',
  'second_factor.email_enabled': 'emailCodesOn',
  'second_factor.email_disabled': 'emailCodesOff',
  'trusted_browser.added': 'browserTrusted',
  'trusted_browser.revoked': 'browserUntrusted',
  'trusted_browser.all_revoked': 'browserUntrusted',
  'passkey.registered': 'passkeyAdded',
  'passkey.removed': 'passkeyRemoved',
  'api_key.created': 'keyCreated',
  'api_key.revoked': 'keyRevoked',
  'oauth.access_granted': 'accessGranted',
  'oauth.token_exchanged': 'agentAllowed',
  'oauth.access_removed': 'accessRemoved',
  'org.created': 'organizationCreated',
  'org.member_added': 'organizationJoined',
  'org.member_removed': 'organizationLeft',
  'org.role_changed': 'roleChanged',
};

/** Successful actions that a user should look at. */
export const warnings: ReadonlySet<string> = new Set<ServiceEventName>([
  'session.impersonated',
  'user.blocked',
]);

/** By the method of a sign-in, without its second step. */
const byMethod: Readonly<Record<string, Exclude<keyof Sentences['signedInWith'], 'provider'>>> = {
  password_login: 'password',
  password_signup: 'password',
  passkey: 'passkey',
  passkey_signup: 'passkey',
  email_code: 'emailCode',
  magic_link: 'emailLink',
  phone_code: 'phoneCode',
};

export function sentenceOf({ offers, words }: AccountVisit, { action, method }: AuditActivity): string {
  const { actions, changed, signedIn, signedInWith } = words.activity;
  if (action === 'session.bound') return words.devices.bound;
  if (action === 'session.created' || (action === 'refresh.issued' && method !== null)) {
    const [first = ''] = (method ?? '').split('+');
    if (Object.hasOwn(byMethod, first)) return signedInWith[byMethod[first]!];
    const { label } = offers.providers.find(({ id }) => id === first) ?? {};
    return label === undefined ? signedIn : signedInWith.provider(label);
  }
  const known = Object.hasOwn(byAction, action) ? byAction[action as ServiceEventName] : undefined;
  return known === undefined ? changed : actions[known];
}
