/** The configuration: one schema for the defaults, the error messages and docs/configuration.md. The interface is in service-config.ts. */
import * as z from 'zod';
import { brandOptions, productName } from '../core/support/brand.js';
import { isAllowedOrigin } from '../core/support/link-targets.js';
import { noticesOptions } from '../core/mail/notice-options.js';
import { languageOptions } from '../core/mail/language-options.js';
import type { RateLimitStore } from '../storage/rate-limit-store.js';
import type { Locate } from '../core/support/locations.js';
import type { Logger } from '../core/support/logger.js';
import { hasMethod } from '../core/support/has-method.js';
import { durationMs, functionOption } from '../core/support/option-types.js';
import type { StorageAdapter } from '../storage/adapter.js';
import { profilesOptions } from '../core/support/profiles.js';
import { usernamesOptions } from '../core/sign-ups/usernames.js';
import { signUpOptions } from '../core/sign-ups/sign-up-options.js';
import { providerOptions } from './provider-options.js';
import type { ServiceConfig } from './service-config.js';
import { sessionOptions } from './session-options.js';

const minute = 60_000;
const day = 24 * 60 * minute;

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

const originOption = z
  .string()
  .refine(isAllowedOrigin, 'must be an origin such as https://acme.test or capacitor://localhost');

const encryptionKeyOption = z.custom<string | undefined>(
  (value) => typeof value === 'string' && Buffer.byteLength(value) >= 32,
  'must be a string of at least 32 bytes',
);

const auditOptions = z.union([
  z.literal(false),
  z.literal(true).transform(() => ({ retentionDays: undefined, sealEveryMs: 10_000 })),
  z.strictObject({
    retentionDays: count
      .max(36_500)
      .optional()
      .describe('Days after which `service.purgeExpired` removes sealed records. Default: never.'),
    sealEveryMs: durationMs()
      .default(10_000)
      .describe('How often records are sealed, in milliseconds, in one of the processes.'),
  }),
]);

const required = {
  adapter: z
    .custom<StorageAdapter>(
      (value) => hasMethod(value, 'init') && typeof (value as StorageAdapter).users === 'object',
      'must be a storage adapter: knexAdapter(…), pgliteAdapter(…) or memoryAdapter()',
    )
    .describe('The storage of all records: `knexAdapter(…)`, `pgliteAdapter(…)` or `memoryAdapter()`.'),
  session: sessionOptions.describe('Sessions and the secret that signs them.'),
};

const optional = {
  signUp: signUpOptions.prefault({}).describe('Who may create an account: [sign-up policy](sign-up.md).'),
  usernames: usernamesOptions.prefault({}).describe('User names: [users](users.md#user-names).'),
  profiles: profilesOptions
    .prefault({})
    .describe('Names and pictures of users: [names and pictures](users.md#names-and-pictures).'),
  appName: productName().default('the app').describe("Your product's name, unless `brand.name` is set."),
  brand: brandOptions.prefault({}).describe('How pages and mails show your product.'),
  languages: languageOptions
    .prefault({})
    .describe('The languages of mails and text messages: [languages](languages.md).'),
  code: codeOptions.prefault({}).describe('One-time codes by email.'),
  rateLimit: rateLimitOptions.prefault({}).describe('Limits on sends and on failed passwords.'),
  trustedOrigins: z
    .array(originOption)
    .default([])
    .describe(
      "Origins that may post to the routes and be a `redirectTo`, in addition to those of `baseUrl` and `resetUrl`. Those of apps and extensions, such as `capacitor://localhost` and `chrome-extension://…`, may post. The request's own host may always post.",
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
  background: functionOption<(work: Promise<void>) => unknown>()
    .optional()
    .describe(
      'Receives the work that continues after a response, such as the mail of a reset: `(work) => waitUntil(work)` on platforms that stop a function with its response. `close()` waits for it in any case.',
    ),
  locate: functionOption<Locate>()
    .optional()
    .describe(
      "Returns the place of a client's IP address, such as `Hamburg, Germany`, from your database of places; null if it is unknown. The list of devices and notices by mail show it. They wait at most 300 ms, and show none if it fails.",
    ),
  audit: auditOptions
    .default(false)
    .describe('Records every change and every sign-in in the database: [audit log](audit.md).'),
  notices: noticesOptions()
    .optional()
    .describe(
      'Mails about changes of an account and sign-ins from new devices: [notices](senders.md#notices).',
    ),
  statistics: z
    .boolean()
    .default(false)
    .describe(
      'Counts sign-ups, sign-ins, failures, limits, messages and active users for the [overview of the admin pages](admin.md#overview) and `service.statistics`.',
    ),
  telemetry: z
    .boolean()
    .default(false)
    .describe(
      'Records spans and metrics with the package `@opentelemetry/api`, in the SDK that the application has started.',
    ),
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
};

/** Returns the schema for a configuration of some providers; by default, of all. */
export const serviceConfig = (isConfigured: (provider: string) => boolean = () => true) =>
  z.strictObject({
    ...required,
    providers: providerOptions(isConfigured)
      .default({})
      .describe('The sign-in methods and features to enable.'),
    ...optional,
  }) satisfies z.ZodType<unknown, ServiceConfig>;

/** The configuration with its defaults. */
export type ParsedConfig = z.output<ReturnType<typeof serviceConfig>>;
