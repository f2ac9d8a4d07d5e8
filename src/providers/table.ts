/**
 * Every provider, in one table. The configuration schema, the registry, the free tier of the license and the reference of the
 * configuration derive from it. No provider imports it.
 */
import type * as z from 'zod';
import type { Toolkit } from '../core/toolkit.js';
import type { OptionalPackage } from '../runtime/optional-package.js';
import { AccountProvider } from './account/account.js';
import { accountOptions } from './account/options.js';
import { apiKeysOptions, ApiKeysProvider } from './api-keys/api-keys.js';
import { AuditProvider } from './audit.js';
import { emailCodeOptions, EmailCodeProvider } from './email-code.js';
import { EmailPasswordProvider } from './email-password/email-password.js';
import { emailPasswordOptions } from './email-password/options.js';
import { IdentitiesProvider } from './identities.js';
import { MagicLinkProvider } from './magic-link/magic-link.js';
import { magicLinkOptions } from './magic-link/options.js';
import { googleOptions, GoogleProvider } from './oauth/google.js';
import { oauthProvidersOptions } from './oauth/oauth-options.js';
import { OAuthProvider } from './oauth/oauth.js';
import { orgsOptions } from './orgs/options.js';
import { OrgsProvider } from './orgs/orgs.js';
import { phoneOtpOptions } from './phone-otp/options.js';
import { PhoneOtpProvider } from './phone-otp/phone-otp.js';
import { refreshOptions, RefreshProvider } from './refresh.js';
import { SecondFactorProvider } from './second-factor/second-factor.js';
import { sessionsOptions } from './sessions/options.js';
import { SessionsProvider } from './sessions/sessions.js';
import { totpOptions } from './totp/options.js';
import { TotpProvider } from './totp/totp.js';
import { UsernamesProvider } from './usernames.js';
import { UsersProvider } from './users/users.js';
import { webauthnOptions } from './webauthn/options.js';
import { WebAuthnProvider } from './webauthn/webauthn.js';

export type {
  AccountProvider,
  ApiKeysProvider,
  AuditProvider,
  EmailCodeProvider,
  EmailPasswordProvider,
  GoogleProvider,
  IdentitiesProvider,
  MagicLinkProvider,
  OAuthProvider,
  OrgsProvider,
  PhoneOtpProvider,
  RefreshProvider,
  SecondFactorProvider,
  SessionsProvider,
  TotpProvider,
  UsernamesProvider,
  UsersProvider,
  WebAuthnProvider,
};

/** In the order of docs/configuration.md. A key is the name of the options in `providers` of the configuration. */
export const providerTable = {
  emailCode: provider({
    tier: 'free',
    options: emailCodeOptions,
    create: (options, tools) => new EmailCodeProvider(options, tools),
  }),
  magicLink: provider({
    tier: 'free',
    options: magicLinkOptions,
    create: (options, tools) => new MagicLinkProvider(options, tools),
  }),
  emailPassword: provider({
    tier: 'free',
    options: emailPasswordOptions,
    create: (options, tools) => new EmailPasswordProvider(options, tools),
  }),
  google: provider({
    tier: 'free',
    options: googleOptions,
    create: (options, tools) => new GoogleProvider(options, tools),
  }),
  oauth: provider({
    tier: 'pro',
    options: oauthProvidersOptions,
    // A map, because names come from URLs: an object would resolve `__proto__`.
    create: (options, tools) =>
      new Map(
        Object.entries(options).map(([name, each]) => [name, new OAuthProvider(name, each, tools)] as const),
      ),
  }),
  sessions: provider({
    tier: 'pro',
    options: sessionsOptions,
    create: (options, tools) => new SessionsProvider(options, tools),
  }),
  refresh: provider({
    tier: 'pro',
    options: refreshOptions,
    create: (options, tools) => new RefreshProvider(options, tools),
  }),
  apiKeys: provider({
    tier: 'pro',
    options: apiKeysOptions,
    create: (options, tools) => new ApiKeysProvider(options, tools),
  }),
  orgs: provider({
    tier: 'pro',
    options: orgsOptions,
    create: (options, tools) => new OrgsProvider(options, tools),
  }),
  account: provider({
    tier: 'pro',
    options: accountOptions,
    create: (options, tools) => new AccountProvider(options, tools),
  }),
  phoneOtp: provider({
    tier: 'pro',
    options: phoneOtpOptions,
    package: 'libphonenumber-js',
    create: (options, tools) => new PhoneOtpProvider(options, tools),
  }),
  totp: provider({
    tier: 'pro',
    options: totpOptions,
    package: 'otpauth',
    create: (options, tools) => new TotpProvider(options, tools),
  }),
  webauthn: provider({
    tier: 'pro',
    options: webauthnOptions,
    package: '@simplewebauthn/server',
    create: (options, tools) => new WebAuthnProvider(options, tools),
  }),
  /** Exists without the option too, for the error that names it. */
  audit: { tier: 'free', create: (tools: Toolkit) => new AuditProvider(tools) },
  /** Needs no configuration, so every service has it. */
  identities: { tier: 'free', create: (tools: Toolkit) => new IdentitiesProvider(tools) },
  /** Exists without configuration too: a page asks it for the methods of a pending sign-in. Its options are those of `totp`. */
  secondFactor: { tier: 'free', create: (tools: Toolkit) => new SecondFactorProvider(tools) },
  /** Exists without configuration too, for the error that names the option. */
  usernames: { tier: 'free', create: (tools: Toolkit) => new UsernamesProvider(tools) },
  /** Needs no configuration either. */
  users: { tier: 'free', create: (tools: Toolkit) => new UsersProvider(tools) },
} as const;

/** Returns the entry; its parameters tie the types of `options` and `create` together. */
function provider<Tier extends 'free' | 'pro', Options extends z.ZodType, Instance extends object>(entry: {
  /** The free tier of specification 1; a provider of the Pro tier needs a license. */
  tier: Tier;
  /** Created only for configurations that enable the provider. */
  options: () => Options;
  /** An optional peer dependency that the provider needs. */
  package?: OptionalPackage;
  create: (options: z.output<Options>, tools: Toolkit) => Instance;
}) {
  return entry;
}
