/** Which providers the configuration enables, each made once with its tools. */
import type { ParsedConfig } from '../config/schema.js';
import { hideState } from '../kit/hidden-state.js';
import type { Toolkit } from '../kit/toolkit.js';
import { AccountProvider } from '../providers/account/account.js';
import { ApiKeysProvider } from '../providers/api-keys.js';
import { EmailCodeProvider } from '../providers/email-code.js';
import { EmailPasswordProvider } from '../providers/email-password/email-password.js';
import { MagicLinkProvider } from '../providers/magic-link.js';
import { IdentitiesProvider } from '../providers/identities.js';
import { GoogleProvider } from '../providers/oauth/google.js';
import { OAuthProvider } from '../providers/oauth/oauth.js';
import { OrgsProvider } from '../providers/orgs/orgs.js';
import { PhoneOtpProvider } from '../providers/phone-otp.js';
import { RefreshProvider } from '../providers/refresh.js';
import { SessionsProvider } from '../providers/sessions.js';
import { TotpProvider } from '../providers/totp/totp.js';
import { WebAuthnProvider } from '../providers/webauthn/webauthn.js';

export function createProviders({ providers }: ParsedConfig, tools: Toolkit) {
  const {
    emailCode,
    magicLink,
    emailPassword,
    google,
    sessions,
    refresh,
    apiKeys,
    orgs,
    account,
    phoneOtp,
    totp,
    webauthn,
  } = providers;
  const made = {
    emailCode: emailCode && new EmailCodeProvider(emailCode, tools),
    magicLink: magicLink && new MagicLinkProvider(magicLink, tools),
    emailPassword: emailPassword && new EmailPasswordProvider(emailPassword, tools),
    google: google && new GoogleProvider(google, tools),
    // A map, because the names that are asked for come from URLs: no object has a `__proto__` to find then.
    oauth: new Map(
      Object.entries(providers.oauth ?? {}).map(([name, each]) => [
        name,
        new OAuthProvider(name, each, tools),
      ]),
    ),
    sessionsProvider: sessions && new SessionsProvider(sessions, tools),
    refresh: refresh && new RefreshProvider(refresh, tools),
    apiKeys: apiKeys && new ApiKeysProvider(apiKeys, tools),
    orgs: orgs && new OrgsProvider(orgs, tools),
    account: account && new AccountProvider(account, tools),
    phoneOtp: phoneOtp && new PhoneOtpProvider(phoneOtp, tools),
    webauthn: webauthn && new WebAuthnProvider(webauthn, tools),
    totp: totp && new TotpProvider(tools),
    identities: new IdentitiesProvider(tools),
  };
  for (const each of [...Object.values(made), ...made.oauth.values()]) if (each) hideState(each);
  return made;
}

export type Providers = ReturnType<typeof createProviders>;
