/** The options of the sign-in methods and features. */
import type { EmailCodeConfig, EmailPasswordConfig, MagicLinkConfig } from './email-provider-config.js';
import type { PhoneOtpConfig, TotpConfig, WebAuthnConfig } from './factor-provider-config.js';
import type { GoogleConfig, OAuthConfig } from './identity-provider-config.js';
import type {
  AccountConfig,
  ApiKeysConfig,
  OrgsConfig,
  RefreshConfig,
  SessionsConfig,
} from './pro-provider-config.js';

export interface ProvidersConfig {
  /** Sign-in with a code by email. */
  emailCode?: EmailCodeConfig | undefined;
  /** Sign-in with a link by email. */
  magicLink?: MagicLinkConfig | undefined;
  /** Sign-in with a password. */
  emailPassword?: EmailPasswordConfig | undefined;
  /** Sign-in with Google or another OpenID provider. */
  google?: GoogleConfig | undefined;
  /** Additional identity providers by name: OAuth. `<name>` is the name of a provider. */
  oauth?: Record<string, OAuthConfig> | undefined;
  /** Device sessions, guests and impersonation. */
  sessions?: true | SessionsConfig | undefined;
  /** Refresh tokens. */
  refresh?: true | RefreshConfig | undefined;
  /** Keys for programs. */
  apiKeys?: true | ApiKeysConfig | undefined;
  /** Organizations, roles and invites. */
  orgs?: true | OrgsConfig | undefined;
  /** Addresses, export and deletion of accounts. */
  account?: true | AccountConfig | undefined;
  /** Sign-in with a code by text message. */
  phoneOtp?: PhoneOtpConfig | undefined;
  /** A second factor by an authenticator app. */
  totp?: true | TotpConfig | undefined;
  /** Passkeys. */
  webauthn?: WebAuthnConfig | undefined;
}
