/** The configuration: one schema for the types, the defaults and the error messages. The only place with defaults. */
import type { input as ZodInput, output as ZodOutput } from 'zod';
import { isOfHost } from '../kit/internals.js';
import type { RateLimitStore } from '../kit/shared-counters.js';
import type { Logger } from '../kit/logger.js';
import { absoluteUrl, durationMs, functionOption, hasMethod } from '../kit/option-types.js';
import { accountOptions } from '../providers/account/options.js';
import { apiKeysOptions } from '../providers/api-keys.js';
import { emailCodeOptions } from '../providers/email-code.js';
import { emailPasswordOptions } from '../providers/email-password/options.js';
import { magicLinkOptions } from '../providers/magic-link.js';
import { googleOptions } from '../providers/oauth/google.js';
import { oauthProvidersOptions } from '../providers/oauth/oauth-options.js';
import { orgsOptions } from '../providers/orgs/options.js';
import { phoneOtpOptions } from '../providers/phone-otp.js';
import { refreshOptions } from '../providers/refresh.js';
import { sessionsOptions } from '../providers/sessions.js';
import { totpOptions } from '../providers/totp/totp.js';
import { webauthnOptions } from '../providers/webauthn/policy.js';
import type { Zod } from '../runtime/load.js';
import type { StorageAdapter } from '../storage/adapter.js';

const minute = 60_000;
const day = 24 * 60 * minute;

export const serviceConfig = (z: Zod) =>
  z.strictObject({
    /** Where records are kept: `knexAdapter(…)`, `pgliteAdapter(…)` or `memoryAdapter()`. */
    adapter: z.custom<StorageAdapter>(
      (value) => hasMethod(value, 'init') && typeof (value as StorageAdapter).users === 'object',
      'must be a storage adapter: knexAdapter(…), pgliteAdapter(…) or memoryAdapter()',
    ),
    session: sessionOptions(z),
    /** Which sign-in methods there are. */
    providers: providerOptions(z).default({}),
    /** Your product's name, as mails show it. */
    appName: z
      .string()
      .trim()
      .min(1)
      .max(100)
      .regex(/^[^\r\n\0]*$/, 'must be one line')
      .default('the app'),
    /** One-time codes by email. */
    code: codeOptions(z).prefault({}),
    rateLimit: rateLimitOptions(z).prefault({}),
    /**
     * Origins that may post to the routes and be a `redirectTo`, beside those of `baseUrl` and `resetUrl`. The request's
     * own host may always post.
     */
    trustedOrigins: z.array(originOption(z)).default([]),
    /** `{ debug, info, warn, error }` with pino's arguments: fields, then message. Without one, warnings and errors go to the console. */
    logger: z
      .custom<Logger>(
        (value) => ['debug', 'info', 'warn', 'error'].every((level) => hasMethod(value, level)),
        'must have the methods debug, info, warn and error',
      )
      .optional(),
    /** Milliseconds since the epoch; every expiry reads it. The default follows the clock of the database, if the adapter has one. */
    clock: functionOption<() => number>(z).default(() => Date.now),
    /** Unlocks the Pro tier. */
    licenseKey: z.string().optional(),
    /** PEM of the key that the licence is checked against, in place of the vendor's. */
    licensePublicKey: z.string().optional(),
    /** Encrypts TOTP secrets: 32 bytes or more, not a session secret. */
    encryptionKey: secretBytes(z, 'must be a string of at least 32 bytes').optional(),
    /** Encryption keys that still decrypt, after a rotation. */
    previousEncryptionKeys: z.array(requiredBytes(z)).default([]),
  });

const sessionOptions = (z: Zod) =>
  z.strictObject({
    /** Signs session tokens, links and codes: 32 bytes or more, kept secret. */
    secret: z
      .custom<string | undefined>(
        isText,
        'must be a string of at least 32 bytes; `openssl rand -base64 48` makes one',
      )
      .transform((secret) => secret as string),
    /** Secrets that still verify, after a rotation. */
    previousSecrets: z.array(z.custom<string>(isText, 'must be a string that is not empty')).default([]),
    /** Lifetime of a session in milliseconds. */
    ttlMs: durationMs(z)
      .min(1000)
      .default(7 * day),
    /** A session in use is extended after this many milliseconds; 0 = never. */
    renewAfterMs: z.number().int().nonnegative().default(day),
    /** Absolute cap from sign-in in milliseconds, whatever the renewals. */
    maxAgeMs: durationMs(z)
      .min(1000)
      .default(30 * day),
    cookie: cookieOptions(z).prefault({}),
    /** Signed into tokens and enforced when set. */
    issuer: z.string().min(1).optional(),
    audience: z.string().min(1).optional(),
  });

/** Of other cookies that the routes set. */
const ownCookies = ['svc_mfa', 'svc_oauth', '__Host-svc_oauth', 'svc_webauthn'];

const cookieOptions = (z: Zod) =>
  z
    .strictObject({
      name: z
        .string()
        .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$/, 'must be a cookie name')
        .refine((name) => !ownCookies.includes(name), 'must not be the name of another cookie of ours')
        .default('svc_session'),
      /** `auto`: in production, and on https requests. */
      secure: z.union([z.boolean(), z.literal('auto')]).default('auto'),
      sameSite: z.enum(['lax', 'strict', 'none']).default('lax'),
      path: z
        .string()
        .regex(/^\/[^;\s]*$/, 'must start with /')
        .default('/'),
      domain: z
        .string()
        .regex(/^\.?[A-Za-z0-9.-]+$/, 'must be a domain name')
        .optional(),
    })
    .superRefine((cookie, context) => {
      const refuse = (path: string, message: string) =>
        context.addIssue({ code: 'custom', path: [path], message });
      if (cookie.sameSite === 'none' && cookie.secure === false)
        refuse('secure', 'must not be false with sameSite none');
      if (!/^__(host|secure)-/i.test(cookie.name)) return;
      // Browsers drop such cookies otherwise, and nobody could sign in.
      if (cookie.secure !== true) refuse('secure', `must be true for the cookie name ${cookie.name}`);
      if (!isOfHost(cookie.name)) return;
      if (cookie.path !== '/') refuse('path', 'must be / for a __Host- cookie');
      if (cookie.domain !== undefined) refuse('domain', 'must be absent for a __Host- cookie');
    });

const codeOptions = (z: Zod) =>
  z.strictObject({
    /** Digits of a code. */
    length: z.number().int().min(4).max(12).default(6),
    /** Lifetime in milliseconds. */
    ttlMs: durationMs(z).default(10 * minute),
    /** Wrong tries per code. */
    maxAttempts: z.number().int().min(1).max(100).default(5),
  });

const rateLimitOptions = (z: Zod) =>
  z.strictObject({
    /** Sends per purpose and address in a window. */
    maxPerWindow: z.number().int().min(1).default(5),
    windowMs: durationMs(z).default(15 * minute),
    /** Failed passwords; `false` switches these limits off. */
    login: z.union([z.literal(false), loginLimits(z)]).prefault({}),
    /** Sign-ups with a password per client and per network; `false` switches these limits off. */
    signUp: z.union([z.literal(false), signUpLimits(z)]).prefault({}),
    /** A shared store of counters in place of the database. */
    store: z
      .custom<RateLimitStore>((value) => hasMethod(value, 'hit'), 'must have the method hit')
      .optional(),
  });

const limitRule = (z: Zod, max: number, windowMs: number) =>
  z
    .strictObject({ max: z.number().int().min(1).default(max), windowMs: durationMs(z).default(windowMs) })
    .prefault({});

const loginLimits = (z: Zod) =>
  z.strictObject({
    perAddressAndIp: limitRule(z, 10, 15 * minute),
    perAddress: limitRule(z, 100, day),
    perIp: limitRule(z, 200, 15 * minute),
  });

const signUpLimits = (z: Zod) =>
  z.strictObject({
    perIp: limitRule(z, 200, 15 * minute),
    perNetwork: limitRule(z, 1_000, 15 * minute),
  });

const providerOptions = (z: Zod) =>
  z.strictObject({
    emailCode: emailCodeOptions(z).optional(),
    magicLink: magicLinkOptions(z).optional(),
    emailPassword: emailPasswordOptions(z).optional(),
    google: googleOptions(z).optional(),
    sessions: sessionsOptions(z).optional(),
    refresh: refreshOptions(z).optional(),
    apiKeys: apiKeysOptions(z).optional(),
    orgs: orgsOptions(z).optional(),
    account: accountOptions(z).optional(),
    phoneOtp: phoneOtpOptions(z).optional(),
    totp: totpOptions(z).optional(),
    webauthn: webauthnOptions(z).optional(),
    oauth: oauthProvidersOptions(z).optional(),
  });

const originOption = (z: Zod) =>
  absoluteUrl(z).refine(
    (text) => URL.canParse(text) && new URL(text).origin === text,
    'must be an origin such as https://acme.test',
  );

const secretBytes = (z: Zod, message: string) =>
  z.custom<string | undefined>(
    (value) => typeof value === 'string' && Buffer.byteLength(value) >= 32,
    message,
  );

const requiredBytes = (z: Zod) =>
  secretBytes(z, 'must be a string of at least 32 bytes').transform((key) => key as string);

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '';
}

type Schema = ReturnType<typeof serviceConfig>;
/** What `createService` takes. */
export type ServiceConfig = ZodInput<Schema>;
/** The configuration with its defaults. */
export type ParsedConfig = ZodOutput<Schema>;
