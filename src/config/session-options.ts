/** The options of sessions: lifetimes, limits, the cookie, the cache, and tokens for other sites. */
import * as z from 'zod';
import { isOfHost } from '../core/internals.js';
import { hasMethod } from '../core/support/has-method.js';
import { durationMs, orTrue } from '../core/support/option-types.js';
import type { SessionSource } from '../core/sessions/session-source.js';
import type { SessionCacheStore } from '../storage/session-cache-store.js';

const minute = 60_000;
const day = 24 * 60 * minute;

const isNonEmptyString = (value: unknown) => typeof value === 'string' && value.trim() !== '';

/** The names of the other cookies that the routes and pages set, some with the prefix. */
const otherCookies = [
  'svc_admin_path',
  'svc_binding',
  'svc_bound',
  'svc_device',
  'svc_last_method',
  'svc_link',
  'svc_link_form',
  'svc_mfa',
  'svc_oauth',
  'svc_pages',
  'svc_sign_up',
  'svc_sign_up_fields',
  'svc_trust',
  'svc_webauthn',
].flatMap((name) => [name, `__Host-${name}`]);

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
      'How long a session may still be accepted after another process has ended it, if notifications are lost: 100 to 60,000 milliseconds.',
    ),
  store: z
    .custom<SessionCacheStore>(
      (value) => ['read', 'add', 'markChanged', 'subscribe'].every((method) => hasMethod(value, method)),
      'must be a store of sessions, such as redisSessionCache(client)',
    )
    .optional()
    .describe(
      'A store that all processes share: `redisSessionCache(client)` of `svc-auth/redis`. If absent, each process remembers its own checks, and the database announces changes.',
    ),
});

const bearerOptions = orTrue(
  z.strictObject({
    accessTtlMs: durationMs()
      .min(1000)
      .default(15 * minute)
      .describe('Lifetime of an access token in milliseconds.'),
    graceMs: z
      .number()
      .int()
      .min(0)
      .max(minute)
      .default(10_000)
      .describe(
        'How long the previous refresh token still returns the current one, in milliseconds; 0 = strict.',
      ),
    dpop: z
      .enum(['accepted', 'required'])
      .default('accepted')
      .describe(
        'Whether a client may bind its session to a key (DPoP), or must: `required` refuses sign-ins and refreshes without a proof.',
      ),
    origin: z
      .url({ protocol: /^https?$/ })
      .transform((url) => new URL(url).origin)
      .optional()
      .describe(
        'The origin of the routes as clients know it, which the proofs of keys must name. If absent, that of the request: set it behind a proxy that changes the `Host` header.',
      ),
  }),
);

const boundOptions = orTrue(
  z.strictObject({
    ttlMs: durationMs()
      .min(10_000)
      .max(60 * minute)
      .default(10 * minute)
      .describe(
        'Lifetime of the cookie of a bound session in milliseconds: 10 seconds to one hour. The browser replaces it with a proof of its key.',
      ),
    path: z
      .string()
      .regex(/^(?:\/[A-Za-z0-9._~-]+)*$/, 'must be a path, such as /api/auth')
      .default('/api/auth')
      .describe('Where `createAuthRouter` is mounted.'),
  }),
);

export const sessionOptions = z
  .strictObject({
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
    unrememberedTtlMs: durationMs()
      .min(1000)
      .optional()
      .describe(
        'Lifetime in milliseconds of a session that the browser forgets when it closes (`remember: false` at sign-in). If absent, `ttlMs`.',
      ),
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
    maxPerUser: z
      .number()
      .int()
      .min(1)
      .max(1_000)
      .optional()
      .describe(
        'How many sessions and refresh tokens a user may have at once: a sign-in beyond it ends the oldest. If absent, any number.',
      ),
    cookie: cookieOptions.prefault({}).describe('The session cookie. It is always HttpOnly.'),
    cache: sessionCacheOptions
      .optional()
      .describe(
        'Keeps checked sessions in the process, so that guards and `GET /session` run no query. Off by default: see [when to use it](operations.md#session-checks-without-a-query).',
      ),
    bearer: z
      .union([z.literal(false), bearerOptions])
      .default(false)
      .describe(
        'Tokens instead of cookies, for an application on another site: [bearer sessions](single-page-applications.md). `true`, or an object.',
      ),
    bound: z
      .union([z.literal(false), boundOptions])
      .default(false)
      .describe(
        'Binds sessions to a key of the browser, if the browser can ([Device Bound Session Credentials](bound-sessions.md)): a copied cookie is worthless after `ttlMs`. `true`, or an object.',
      ),
    acceptSessionsFrom: z
      .array(
        z.custom<SessionSource>(
          (value) => hasMethod(value, 'find') && typeof (value as { name?: unknown }).name === 'string',
          'must be a source of sessions, such as expressSession(…) of svc-auth/moving',
        ),
      )
      .max(8)
      .default([])
      .describe(
        'Sessions of a former system, each of which is replaced once: [sessions of other systems](old-sessions.md).',
      ),
    acceptSessionsUntil: z
      .date()
      .optional()
      .describe(
        'When sessions of the former system are no longer accepted. Set it: without it they are accepted until you remove them.',
      ),
    issuer: z.string().min(1).optional().describe('Signed into tokens and enforced if set.'),
    audience: z.string().min(1).optional().describe('Signed into tokens and enforced if set.'),
  })
  .superRefine(({ bound, cookie }, context) => {
    if (!bound || cookie.domain === undefined) return;
    // A browser replaces the cookie for the origin that has registered, and for no other subdomain.
    const message = 'must be absent with session.bound: the other subdomains could not replace the cookie';
    context.addIssue({ code: 'custom', path: ['cookie', 'domain'], message });
  });
