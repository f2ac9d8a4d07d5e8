/** Sessions of Auth.js, of both strategies: a token that its secret encrypts, or a row that the cookie names. */
import { hkdfSync } from 'node:crypto';
import type { JWTPayload } from 'jose';
import type { PresentedSession, SessionRequest, SessionSource } from '../core/sessions/session-source.js';
import { sha256 } from '../crypto/digest.js';
import { checkOptions, refuseOption } from '../errors/options.js';
import { importJose } from '../runtime/jose.cjs';
import { checkCookieName, checkFunction, isPlausible, secretsOf, withPrefix } from './cookies.js';
import { checkSecondFactor, dateOfSeconds, type OldUser, type SourceOptions } from './options.js';
import { sessionTable, type SessionLookup } from './session-table.js';

export interface AuthJsOptions extends SourceOptions, SessionLookup {
  /** `secret` of Auth.js (`AUTH_SECRET`), or all of them, with the strategy `jwt`. Absent with `database`. */
  secret?: string | readonly string[];
  /**
   * Returns the user of a token. Default: its `sub`. Without a database, Auth.js makes a new one at each sign-in: return
   * `{ email, emailVerified: true }` then, if your providers have verified the addresses.
   */
  userId?: (token: JWTPayload) => OldUser;
  /** Without the prefix `__Secure-`, with which it is found too. Default: `authjs.session-token`. */
  cookieName?: string;
  /** The domain of the cookie, if it has one, so that it can be cleared. */
  cookieDomain?: string;
}

/** The names of `@auth/pg-adapter`. */
const statements = {
  find: 'select "userId" as user_id, expires as expires_at from sessions where "sessionToken" = $1',
  end: 'delete from sessions where "sessionToken" = $1',
};

/** Auth.js cuts a longer token into cookies with a number. */
const maxChunks = 8;

const keyLengths = { 'A256CBC-HS512': 64, A256GCM: 32 } as const;

/**
 * Accepts sessions of Auth.js, once each. A row is deleted; a token cannot be ended, and is remembered until it expires.
 * @throws ConfigError for invalid options.
 */
export function authJs(options: AuthJsOptions): SessionSource {
  const call = 'authJs(…)';
  checkOptions(call, options, [
    'secret',
    'userId',
    'pool',
    'findSession',
    'endSession',
    'cookieName',
    'cookieDomain',
    'secondFactor',
  ]);
  const { secret, userId, cookieName = 'authjs.session-token', cookieDomain: domain, secondFactor } = options;
  checkFunction(`${call}.userId`, userId, true);
  checkCookieName(`${call}.cookieName`, cookieName);
  checkSecondFactor(call, secondFactor);
  const hasTable = (options.pool ?? options.findSession ?? options.endSession) !== undefined;
  if (secret !== undefined && hasTable)
    refuseOption(
      `${call}.secret`,
      'must be absent with the strategy `database`, whose cookies are not encrypted',
    );
  const names = withPrefix(cookieName);
  const cookiesOf = (name: string) => [name, ...chunkNames(name)].map((each) => ({ name: each, domain }));
  const source = { name: 'auth-js', secondFactor };

  if (secret === undefined) {
    const table = sessionTable(call, options, statements);
    return {
      ...source,
      find: ({ cookies }) =>
        names.flatMap((name) =>
          cookies(name)
            .filter(isPlausible)
            .map((token) => ({
              id: token,
              isAmbient: true,
              cookies: cookiesOf(name),
              load: () => table.find(token),
              end: () => table.end(token),
            })),
        ),
    };
  }

  const secrets = secretsOf(`${call}.secret`, secret);
  return {
    ...source,
    async find(request) {
      const found: PresentedSession[] = [];
      for (const name of names) {
        const token = tokenOf(request, name);
        const claims = token === null ? null : await decrypted(token, secrets, name, request.now);
        if (!claims) continue;
        const expiresAt = dateOfSeconds(claims.exp);
        found.push({
          // Part of the encrypted content, unlike the text of the token, of which there are several spellings.
          id: claims.jti ?? sha256(JSON.stringify(claims)),
          isAmbient: true,
          cookies: cookiesOf(name),
          expiresAt,
          load: async () => ({
            user: userId ? userId(claims) : claims.sub,
            signedInAt: dateOfSeconds(claims.iat),
            expiresAt,
          }),
        });
      }
      return found;
    },
  };
}

/** Returns the cookie, or its parts together. */
function tokenOf({ cookies }: SessionRequest, name: string): string | null {
  const [whole] = cookies(name);
  if (whole !== undefined) return whole;
  const parts: string[] = [];
  for (const chunk of chunkNames(name)) {
    const [part] = cookies(chunk);
    if (part === undefined) break;
    parts.push(part);
  }
  return parts.length === 0 ? null : parts.join('');
}

function chunkNames(name: string): string[] {
  return Array.from({ length: maxChunks }, (_, index) => `${name}.${index}`);
}

/** Returns the claims of a token that has not expired, or null. The name of the cookie is part of the key. */
async function decrypted(
  token: string,
  secrets: readonly string[],
  name: string,
  now: number,
): Promise<JWTPayload | null> {
  const { jwtDecrypt } = await importJose();
  for (const secret of secrets) {
    try {
      const { payload } = await jwtDecrypt(token, ({ enc }) => keyOf(secret, name, enc), {
        currentDate: new Date(now),
        keyManagementAlgorithms: ['dir'],
        contentEncryptionAlgorithms: Object.keys(keyLengths),
        requiredClaims: ['exp'],
      });
      return payload;
    } catch {
      // Of another secret, expired, or forged.
    }
  }
  return null;
}

function keyOf(secret: string, name: string, encryption: string | undefined): Uint8Array {
  const length = encryption === 'A256GCM' ? keyLengths.A256GCM : keyLengths['A256CBC-HS512'];
  return new Uint8Array(
    hkdfSync('sha256', secret, name, `Auth.js Generated Encryption Key (${name})`, length),
  );
}
