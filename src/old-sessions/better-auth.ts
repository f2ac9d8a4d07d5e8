/** Sessions of better-auth: its cookie is the token of a row, a period and the signature in base64 (better-call, `setSignedCookie`). */
import type { SessionSource } from '../core/sessions/session-source.js';
import { checkOptions } from '../errors/options.js';
import { checkCookieName, secretsOf, verifiedValue, withPrefix } from './cookies.js';
import { checkSecondFactor, type SourceOptions } from './options.js';
import { sessionTable, type SessionLookup } from './session-table.js';

export interface BetterAuthOptions extends SourceOptions, SessionLookup {
  /** `secret` of better-auth, or all of them. */
  secret: string | readonly string[];
  /** Without the prefix `__Secure-`, with which it is found too. Default: `better-auth.session_token`. */
  cookieName?: string;
  /** The domain of the cookie (`crossSubDomainCookies`), so that it can be cleared. */
  cookieDomain?: string;
}

/** The column `impersonatedBy` exists with the plugin for administrators. Such a session would outlive the impersonation, and hide it. */
const statements = {
  find: `select s."userId" as user_id, s."expiresAt" as expires_at, s."createdAt" as created_at from session s
    where s."token" = $1 and to_jsonb(s) ->> 'impersonatedBy' is null`,
  end: 'delete from session where "token" = $1',
};

/**
 * Accepts sessions of better-auth, once each. Its row is deleted.
 * @throws ConfigError for invalid options.
 */
export function betterAuth(options: BetterAuthOptions): SessionSource {
  const call = 'betterAuth(…)';
  checkOptions(call, options, [
    'secret',
    'pool',
    'findSession',
    'endSession',
    'cookieName',
    'cookieDomain',
    'secondFactor',
  ]);
  const { cookieName = 'better-auth.session_token', cookieDomain: domain, secondFactor } = options;
  const secrets = secretsOf(`${call}.secret`, options.secret);
  checkCookieName(`${call}.cookieName`, cookieName);
  checkSecondFactor(call, secondFactor);
  const table = sessionTable(call, options, statements);
  const names = withPrefix(cookieName);
  // Its cached copy of the session would outlive the row.
  const cookies = [...names, ...withPrefix(cookieName.replace(/token$/, 'data'))].map((name) => ({
    name,
    domain,
  }));
  return {
    name: 'better-auth',
    secondFactor,
    find: ({ cookies: read }) =>
      names.flatMap(read).flatMap((value) => {
        const token = verifiedValue(value, secrets, { isPadded: true });
        if (token === null) return [];
        return [
          {
            id: token,
            isAmbient: true,
            cookies,
            load: () => table.find(token),
            end: () => table.end(token),
          },
        ];
      }),
  };
}
