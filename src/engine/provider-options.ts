/** What the tools read from the options of several providers. */
import type { ParsedConfig } from '../config/schema.js';
import { phoneProvider } from '../domain/identity.js';
import type { OfferedMethods } from '../domain/second-factor.js';
import type { CodeMail } from '../core/mail/code-mailer.js';
import type { ImportConfiguration } from '../core/imports/import-report.js';
import type { EnabledSignIns } from '../core/sessions/sign-in-methods.js';
import type { InviteLinks } from '../core/toolkit.js';

/** The providers whose verified addresses are linked to existing accounts: Google, and those with `linking: 'verified-email'`. */
export function providersLinkingByEmail({ google, oauth = {} }: ParsedConfig['providers']): Set<string> {
  const linking = Object.entries(oauth).filter(([, { linking }]) => linking === 'verified-email');
  return new Set([...(google ? ['google'] : []), ...linking.map(([name]) => name)]);
}

/** The methods of the second step besides the authenticator app. */
export function offeredSecondFactors({ totp, webauthn }: ParsedConfig['providers']): OfferedMethods {
  return { email: totp?.email ?? false, passkey: webauthn?.secondFactor ?? false };
}

export function secondFactorMailOf({ totp }: ParsedConfig['providers']): CodeMail | null {
  if (!totp?.email || !totp.sender) return null;
  return { sender: totp.sender, from: totp.from, template: totp.emailTemplate };
}

export function inviteLinksOf({ emailPassword, magicLink }: ParsedConfig['providers']): InviteLinks | null {
  if (emailPassword?.resetUrl !== undefined)
    return { purpose: 'password_reset', url: emailPassword.resetUrl, mailOptions: emailPassword };
  return magicLink ? { purpose: 'magic_link', url: magicLink.baseUrl, mailOptions: magicLink } : null;
}

/** What imported records rely on: the import warns of what is missing. */
export function importConfigurationOf({ providers, usernames }: ParsedConfig): ImportConfiguration {
  const { apiKeys, google, oauth = {}, orgs, phoneOtp, webauthn } = providers;
  return {
    identityProviders: new Set([...Object.keys(oauth), ...(google ? ['google'] : [])]),
    hasPhones: phoneOtp !== undefined,
    hasPasskeys: webauthn !== undefined,
    acceptsForeignKeys: apiKeys?.foreign === true,
    hasOrgs: orgs !== undefined,
    hasUsernames: usernames.enabled,
  };
}

export function signInMethods(providers: ParsedConfig['providers']): EnabledSignIns {
  const { emailCode, magicLink, emailPassword, google, oauth = {}, phoneOtp, webauthn } = providers;
  return {
    byMail: Boolean(emailCode ?? magicLink ?? emailPassword),
    byPasskey: Boolean(webauthn),
    providers: new Set([
      ...Object.keys(oauth),
      ...(google ? ['google'] : []),
      ...(phoneOtp ? [phoneProvider] : []),
    ]),
  };
}
