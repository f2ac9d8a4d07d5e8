/** The configuration: one schema for the types, the defaults, the error messages and docs/configuration.md. */
import * as z from 'zod';
import { isOfHost } from '../core/support/internals.js';
import type { RateLimitStore } from '../core/limits/shared-counters.js';
import type { Logger } from '../core/support/logger.js';
import { absoluteUrl, durationMs, functionOption, hasMethod } from '../core/support/option-types.js';
import type { StorageAdapter } from '../storage/adapter.js';
import { usernamesOptions } from '../core/support/usernames.js';
import { signUpOptions } from '../core/sessions/sign-up-policy.js';
import { providerOptions } from './provider-options.js';

const minute = 60_000;
const day = 24 * 60 * minute;

const isNonEmptyString = (value: unknown) => typeof value === 'string' && value.trim() !== '';

/** The names of the other cookies that the routes set. */
const otherCookies = ['svc_mfa', 'svc_oauth', '__Host-svc_oauth', 'svc_webauthn'];

const cookieOptions = z
  .strictObject({
    name: z
      .string()
      .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$/, 'must be a cookie name')
      .refine((name) => !otherCookies.includes(name), 'must not be the name of another svc-auth cookie')
      .default('svc_session')
      .describe(
        'Its name. A name that begins with `__Host-` or `__Secure-` requires `secure: true`; `__Host-` also requires `path: "/"` and no `domain`.',
      ),
    secure: z
      .union([z.boolean(), z.literal('auto')])
      .default('auto')
      .describe('Its Secure attribute. `auto`: set in production and on https requests.'),
    sameSite: z
      .enum(['lax', 'strict', 'none'])
      .default('lax')
      .describe('Its SameSite attribute. `none` requires a secure cookie.'),
    path: z
      .string()
      .regex(/^\/[^;\s]*$/, 'must start with /')
      .default('/')
      .describe('Its path. Guards also protect routes outside the router, so `/` is usually right.'),
    domain: z
      .string()
      .regex(/^\.?[A-Za-z0-9.-]+$/, 'must be a domain name')
      .optional()
      .describe(
        'Its domain. If absent, the cookie is sent to this host only; if set, also to every subdomain.',
      ),
  })
  .superRefine((cookie, context) => {
    const refuse = (path: string, message: string) =>
      context.addIssue({ code: 'custom', path: [path], message });
    if (cookie.sameSite === 'none' && cookie.secure === false)
      refuse('secure', 'must not be false with sameSite none');
    if (!/^__(host|secure)-/i.test(cookie.name)) return;
    // Browsers discard such cookies otherwise, and no one could sign in.
    if (cookie.secure !== true) refuse('secure', `must be true for the cookie name ${cookie.name}`);
    if (!isOfHost(cookie.name)) return;
    if (cookie.path !== '/') refuse('path', 'must be / for a __Host- cookie');
    if (cookie.domain !== undefined) refuse('domain', 'must be absent for a __Host- cookie');
  });

const sessionCacheOptions = z.strictObject({
  maxStaleMs: durationMs()
    .min(100)
    .max(minute)
    .default(5_000)
    .describe(
      'How long a session may still be accepted after another process has ended it, if notifications of the database are lost: 100 to 60,000 milliseconds.',
    ),
});

const sessionOptions = z.strictObject({
  secret: z
    .custom<string | undefined>(
      isNonEmptyString,
      'must be a string of at least 32 bytes; `openssl rand -base64 48` generates one',
    )
    .transform((secret) => secret as string)
    .describe('Signs session tokens, links and codes: 32 bytes or more, kept secret.'),
  previousSecrets: z
    .array(z.custom<string>(isNonEmptyString, 'must be a string that is not empty'))
    .default([])
    .describe('Secrets that still verify after a rotation.'),
  ttlMs: durationMs()
    .min(1000)
    .default(7 * day)
    .describe('Lifetime of a session in milliseconds.'),
  renewAfterMs: z
    .number()
    .int()
    .nonnegative()
    .default(day)
    .describe('A session in use is extended after this many milliseconds; 0 = never.'),
  maxAgeMs: durationMs()
    .min(1000)
    .default(30 * day)
    .describe('Maximum age of a session since sign-in in milliseconds, including renewals.'),
  cookie: cookieOptions.prefault({}).describe('The session cookie. It is always HttpOnly.'),
  cache: sessionCacheOptions
    .optional()
    .describe(
      'Keeps checked sessions in the process, so that guards and `GET /session` run no query. Off by default: see [when to use it](operations.md#session-checks-without-a-query).',
    ),
  issuer: z.string().min(1).optional().describe('Signed into tokens and enforced if set.'),
  audience: z.string().min(1).optional().describe('Signed into tokens and enforced if set.'),
});

const count = z.number().int().min(1);

const codeOptions = z.strictObject({
  length: z.number().int().min(4).max(12).default(6).describe('Digits of a code.'),
  ttlMs: durationMs()
    .default(10 * minute)
    .describe('Lifetime of a code in milliseconds.'),
  maxAttempts: count.max(100).default(5).describe('Wrong attempts per code.'),
});

const limitRule = (max: number, windowMs: number) =>
  z
    .strictObject({
      max: count.default(max).describe('Maximum in a window; the next one is refused with 429.'),
      windowMs: durationMs().default(windowMs).describe('Length of the window in milliseconds.'),
    })
    .prefault({});

const loginLimits = z.strictObject({
  perAddressAndIp: limitRule(10, 15 * minute).describe('Failed passwords for one address from one client.'),
  perAddress: limitRule(100, day).describe('Failed passwords for one address from all clients.'),
  perIp: limitRule(200, 15 * minute).describe('Failed passwords from one client for all addresses.'),
});

const signUpLimits = z.strictObject({
  perIp: limitRule(200, 15 * minute).describe('Sign-ups with a password from one client.'),
  perNetwork: limitRule(1_000, 15 * minute).describe(
    'Sign-ups with a password from one network: the /24 of an IPv4 address, the /48 of an IPv6 address.',
  ),
});

const rateLimitOptions = z.strictObject({
  maxPerWindow: count.default(5).describe('Maximum sends per purpose and address in a window.'),
  windowMs: durationMs()
    .default(15 * minute)
    .describe('Length of that window in milliseconds.'),
  login: z
    .union([z.literal(false), loginLimits])
    .prefault({})
    .describe('Failed passwords; `false` disables these limits.'),
  signUp: z
    .union([z.literal(false), signUpLimits])
    .prefault({})
    .describe('Sign-ups with a password per client and per network; `false` disables these limits.'),
  store: z
    .custom<RateLimitStore>((value) => hasMethod(value, 'hit'), 'must have the method hit')
    .optional()
    .describe('A shared store of counters, used instead of the database.'),
});

const originOption = absoluteUrl().refine(
  (origin) => URL.canParse(origin) && new URL(origin).origin === origin,
  'must be an origin such as https://acme.test',
);

const encryptionKeyOption = z.custom<string | undefined>(
  (value) => typeof value === 'string' && Buffer.byteLength(value) >= 32,
  'must be a string of at least 32 bytes',
);

export const serviceConfig = z.strictObject({
  adapter: z
    .custom<StorageAdapter>(
      (value) => hasMethod(value, 'init') && typeof (value as StorageAdapter).users === 'object',
      'must be a storage adapter: knexAdapter(…), pgliteAdapter(…) or memoryAdapter()',
    )
    .describe('The storage of all records: `knexAdapter(…)`, `pgliteAdapter(…)` or `memoryAdapter()`.'),
  session: sessionOptions.describe('Sessions and the secret that signs them.'),
  providers: providerOptions.default({}).describe('The sign-in methods and features to enable.'),
  signUp: signUpOptions.prefault({}).describe('Who may create an account: [sign-up policy](sign-up.md).'),
  usernames: usernamesOptions.prefault({}).describe('User names: [users](users.md#user-names).'),
  appName: z
    .string()
    .trim()
    .min(1)
    .max(100)
    .regex(/^[^\r\n\0]*$/, 'must be one line')
    .default('the app')
    .describe("Your product's name, as mails show it."),
  code: codeOptions.prefault({}).describe('One-time codes by email.'),
  rateLimit: rateLimitOptions.prefault({}).describe('Limits on sends and on failed passwords.'),
  trustedOrigins: z
    .array(originOption)
    .default([])
    .describe(
      "Origins that may post to the routes and be a `redirectTo`, in addition to those of `baseUrl` and `resetUrl`. The request's own host may always post.",
    ),
  logger: z
    .custom<Logger>(
      (value) => ['debug', 'info', 'warn', 'error'].every((level) => hasMethod(value, level)),
      'must have the methods debug, info, warn and error',
    )
    .optional()
    .describe(
      "`{ debug, info, warn, error }` with pino's arguments: fields, then message. If absent, warnings and errors are written to the console.",
    ),
  clock: functionOption<() => number>()
    .default(() => Date.now)
    .meta({
      description:
        'Returns milliseconds since the epoch; every expiry uses it. The default follows the clock of the database if the adapter has one.',
      defaultText: '`Date.now`',
    }),
  licenseKey: z.string().optional().describe('Unlocks the Pro tier.'),
  licensePublicKey: z
    .string()
    .optional()
    .describe("The key (PEM) that the license is verified with, instead of the vendor's."),
  encryptionKey: encryptionKeyOption
    .optional()
    .describe('Encrypts TOTP secrets: 32 bytes or more, not a session secret.'),
  previousEncryptionKeys: z
    .array(encryptionKeyOption.transform((key) => key as string))
    .default([])
    .describe('Encryption keys that still decrypt after a rotation.'),
});

/** What `createService` takes. */
export type ServiceConfig = z.input<typeof serviceConfig>;
/** The configuration with its defaults. */
export type ParsedConfig = z.output<typeof serviceConfig>;
