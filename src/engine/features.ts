/** What an application has configured: `service.features`. It contains no secrets, so that an application may send it to its clients. */
import type { ParsedConfig } from '../config/schema.js';
import { offeredSecondFactors } from './provider-options.js';

/**
 * What is configured and licensed. Without a valid license, everything of the Pro tier is false, null or empty, as its accessors throw.
 * An accessor whose name is true here does not throw.
 */
export interface ServiceFeatures {
  /** As `service.licensed`. */
  readonly licensed: boolean;
  readonly emailCode: boolean;
  readonly magicLink: boolean;
  readonly emailPassword: boolean;
  readonly google: boolean;
  /** The names of the generic OAuth providers (Pro), in the order of the configuration. */
  readonly oauth: readonly string[];
  /** Whether users choose user names. */
  readonly usernames: boolean;
  /** Whether a sign-up with a password and a user name may omit the address. */
  readonly signUpWithoutEmail: boolean;
  readonly sessionsProvider: boolean;
  readonly refresh: boolean;
  readonly apiKeys: boolean;
  readonly orgs: boolean;
  readonly account: boolean;
  readonly phoneOtp: boolean;
  readonly totp: boolean;
  readonly webauthn: boolean;
  /** What works without a license too, for accounts that have it: an expired license must not lock users out. */
  readonly existing: { readonly refresh: boolean; readonly totp: boolean; readonly webauthn: boolean };
  /** The number of digits of a mailed code. */
  readonly codeLength: number;
  /** Whether the mail of a magic link has a code too. */
  readonly magicLinkCode: boolean;
  /** The lifetime of a magic link, in milliseconds. 0 without magic links. */
  readonly magicLinkTtlMs: number;
  /** The least number of characters of a password, and what mails for a reset contain. Null without `emailPassword`. */
  readonly password: {
    readonly minLength: number;
    /** Null if passwords cannot be reset. */
    readonly reset: 'link' | 'code' | 'both' | null;
  } | null;
  /** Whether a sign-up with a password mails a code that verifies the address. */
  readonly signUpVerification: boolean;
  /** Whether anyone may sign up: `signUp.enabled`. Otherwise, only who is invited may. */
  readonly signUpEnabled: boolean;
  /** Whether a sign-up does not reveal that an address has an account: `signUp.revealExisting` is false. */
  readonly privateSignUp: boolean;
  /** How an account that begins with a passkey gets its address (Pro). Null without `webauthn.signUp`. */
  readonly passkeySignUp: 'verified' | 'later' | 'none' | null;
  /** Whether users change their own names and pictures (Pro): `account` is configured, and `profiles.editable`. */
  readonly profileChanges: boolean;
  /** Whether codes are mailed to verify and change the address of an account (Pro): `account.sender` is configured. */
  readonly addressCodes: boolean;
  /** The methods of the second step besides authenticator apps, and whether it can trust browsers. */
  readonly secondStep: {
    readonly email: boolean;
    readonly passkey: boolean;
    readonly trustedBrowsers: boolean;
  };
  /** `session.maxPerUser`. Null for any number. */
  readonly maxSessions: number | null;
  /** Whether the service has an OAuth server: `createOAuthServer` has been called. Users then see the apps to which they have given access. */
  readonly oauthServer: boolean;
  /** Whether every change is recorded: the option `audit`. */
  readonly audit: boolean;
  /** Whether what happens is counted: the option `statistics`. */
  readonly statistics: boolean;
}

/**
 * Returns the features with a valid license, and without one. The same objects at every call, so that a caller can compare them.
 * @param hasOAuthServer asked at every call: the OAuth server is created after the service.
 */
export function createFeatures(
  config: ParsedConfig,
  hasOAuthServer: () => boolean,
): (isLicensed: boolean) => ServiceFeatures {
  const [licensed, unlicensed] = [describe(config, true), describe(config, false)].map((features) => ({
    with: Object.freeze({ ...features, oauthServer: true }),
    without: features,
  })) as [Variants, Variants];
  return (isLicensed) => (isLicensed ? licensed : unlicensed)[hasOAuthServer() ? 'with' : 'without'];
}

type Variants = Record<'with' | 'without', ServiceFeatures>;

function describe(config: ParsedConfig, licensed: boolean): ServiceFeatures {
  const { code, profiles, providers, session, signUp, usernames } = config;
  const { account, emailPassword, magicLink, totp, webauthn } = providers;
  const has = (name: keyof typeof providers) => providers[name] !== undefined;
  const hasPro = (name: keyof typeof providers) => licensed && has(name);
  return Object.freeze<ServiceFeatures>({
    licensed,
    emailCode: has('emailCode'),
    magicLink: has('magicLink'),
    emailPassword: has('emailPassword'),
    google: has('google'),
    oauth: Object.freeze(licensed ? Object.keys(providers.oauth ?? {}) : []),
    usernames: usernames.enabled,
    signUpWithoutEmail: usernames.signUpWithoutEmail,
    sessionsProvider: hasPro('sessions'),
    refresh: hasPro('refresh'),
    apiKeys: hasPro('apiKeys'),
    orgs: hasPro('orgs'),
    account: hasPro('account'),
    phoneOtp: hasPro('phoneOtp'),
    totp: hasPro('totp'),
    webauthn: hasPro('webauthn'),
    existing: Object.freeze({ refresh: has('refresh'), totp: has('totp'), webauthn: has('webauthn') }),
    codeLength: code.length,
    magicLinkCode: magicLink?.withCode ?? false,
    magicLinkTtlMs: magicLink?.ttlMs ?? 0,
    password: emailPassword
      ? Object.freeze({ minLength: emailPassword.minLength, reset: resetOf(emailPassword) })
      : null,
    signUpVerification: emailPassword !== undefined && emailPassword.verifyEmail !== 'off',
    signUpEnabled: signUp.enabled,
    privateSignUp: !signUp.revealExisting,
    passkeySignUp: (licensed && webauthn?.signUp?.address) || null,
    profileChanges: hasPro('account') && profiles.editable,
    addressCodes: licensed && account?.sender !== undefined,
    secondStep: Object.freeze({
      ...offeredSecondFactors(providers),
      trustedBrowsers: totp?.trustedBrowsers !== undefined,
    }),
    maxSessions: session.maxPerUser ?? null,
    oauthServer: false,
    audit: config.audit !== false,
    statistics: config.statistics,
  });
}

/** A reset by link needs the page to which it leads. */
function resetOf({
  reset,
  resetUrl,
}: NonNullable<ParsedConfig['providers']['emailPassword']>): NonNullable<
  ServiceFeatures['password']
>['reset'] {
  return reset === 'code' || resetUrl !== undefined ? reset : null;
}
