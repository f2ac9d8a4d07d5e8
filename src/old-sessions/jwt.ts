/** Sessions that are JSON Web Tokens of the application: in a cookie, or in a header. */
import { createPublicKey, type KeyObject } from 'node:crypto';
import type { Algorithm, JwtPayload } from 'jsonwebtoken';
import type { PresentedSession, SessionRequest, SessionSource } from '../core/sessions/session-source.js';
import { checkOptions, refuseOption } from '../errors/options.js';
import { loadJsonWebToken } from '../runtime/load.js';
import { checkCookieName, checkFunction, secretsOf } from './cookies.js';
import { checkSecondFactor, dateOfSeconds, type OldUser, type SourceOptions } from './options.js';

export interface JwtOptions extends SourceOptions {
  /** The secret of HS256, HS384 or HS512, or all of them. Instead of `publicKey`. */
  secret?: string | readonly string[];
  /** The public key, as PEM or as a KeyObject. Instead of `secret`. */
  publicKey?: string | KeyObject;
  /** Default: `['HS256']` with `secret`; `['RS256']` or the one of the curve with `publicKey`. */
  algorithms?: readonly Algorithm[];
  /**
   * Returns the user of a token, or null if the token is not a session: a token for another purpose, such as a reset of the password, may
   * have the same signature. Default: its `sub`.
   */
  userId?: (claims: JwtPayload) => OldUser;
  /** Must be in `iss`, if given. */
  issuer?: string;
  /** Must be in `aud`, if given. */
  audience?: string;
  /** `{ cookie: 'token' }`, or `{ header: 'Bearer' }` for `Authorization: Bearer`. */
  from: { cookie: string } | { header: string };
  /** Age since `iat`, in milliseconds, at which a token ends. Required for tokens without `exp`. */
  maxAgeMs?: number;
  /** The domain of the cookie, if it has one, so that it can be cleared. */
  cookieDomain?: string;
  /** The path of the cookie. Default: `/`. */
  cookiePath?: string;
}

/** By the type of the public key. `jsonwebtoken` has no others. */
const asymmetric: Record<string, Algorithm> = { rsa: 'RS256', 'rsa-pss': 'PS256' };
const ofCurve: Record<string, Algorithm> = { prime256v1: 'ES256', secp384r1: 'ES384', secp521r1: 'ES512' };
const ofSecrets: readonly string[] = ['HS256', 'HS384', 'HS512'];

/**
 * Accepts tokens that the application has signed, once each. A token cannot be ended, and is remembered until it expires.
 * @throws ConfigError for invalid options.
 */
export function jwt(options: JwtOptions): SessionSource {
  const call = 'jwt(…)';
  checkOptions(call, options, [
    'secret',
    'publicKey',
    'algorithms',
    'userId',
    'issuer',
    'audience',
    'from',
    'maxAgeMs',
    'cookieDomain',
    'cookiePath',
    'secondFactor',
  ]);
  const { userId, issuer, audience, maxAgeMs, secondFactor } = options;
  const keys = keysOf(call, options);
  const algorithms = algorithmsOf(call, options, keys);
  checkFunction(`${call}.userId`, userId, true);
  if (maxAgeMs !== undefined && !(Number.isSafeInteger(maxAgeMs) && maxAgeMs > 0))
    refuseOption(`${call}.maxAgeMs`, 'must be a number of milliseconds above 0');
  for (const name of ['issuer', 'audience'] as const)
    if (options[name] !== undefined && (typeof options[name] !== 'string' || options[name] === ''))
      refuseOption(`${call}.${name}`, 'must be a string that is not empty');
  checkSecondFactor(call, secondFactor);
  const place = placeOf(call, options);

  /** An application may keep its secret: a token of this service (`use`), which may be revoked or an impersonation, is not an old session. */
  const verified = (token: string, now: number): JwtPayload | null => {
    for (const key of keys) {
      try {
        const claims = loadJsonWebToken().verify(token, key, {
          algorithms,
          clockTimestamp: Math.floor(now / 1_000),
          ...(issuer !== undefined && { issuer }),
          ...(audience !== undefined && { audience }),
        });
        return typeof claims === 'object' && claims['use'] !== 'session' ? claims : null;
      } catch {
        // Of another key, expired, or forged.
      }
    }
    return null;
  };

  return {
    name: 'jwt',
    secondFactor,
    find: (request) =>
      place.read(request).flatMap((token): PresentedSession[] => {
        const claims = token.length > 8_192 ? null : verified(token, request.now);
        const expiresAt = claims && endOf(claims, maxAgeMs);
        if (!expiresAt || expiresAt.getTime() <= request.now) return [];
        return [
          {
            // What is signed: the same signature can be written in several ways.
            id: token.slice(0, token.lastIndexOf('.')),
            isAmbient: place.isAmbient,
            cookies: place.cookies,
            expiresAt,
            load: async () => ({
              user: userId ? userId(claims) : claims.sub,
              signedInAt: dateOfSeconds(claims.iat),
              expiresAt,
            }),
          },
        ];
      }),
  };
}

/** Returns the earlier of the two ends, or null if the token never ends. */
function endOf({ exp, iat }: JwtPayload, maxAgeMs: number | undefined): Date | null {
  const ends = [
    dateOfSeconds(exp),
    maxAgeMs !== undefined && iat !== undefined && new Date(iat * 1_000 + maxAgeMs),
  ];
  const times = ends.flatMap((end) => (end ? [end.getTime()] : []));
  if (maxAgeMs !== undefined && iat === undefined) return null;
  return times.length === 0 ? null : new Date(Math.min(...times));
}

function keysOf(call: string, { secret, publicKey }: JwtOptions): (string | KeyObject)[] {
  if ((secret === undefined) === (publicKey === undefined))
    refuseOption(`${call}.secret`, 'or publicKey must be given, and not both');
  if (secret !== undefined) return secretsOf(`${call}.secret`, secret);
  try {
    const key = typeof publicKey === 'string' ? createPublicKey(publicKey) : publicKey;
    if (key?.type === 'public') return [key];
  } catch {
    // Refused below, without the key.
  }
  return refuseOption(`${call}.publicKey`, 'must be a public key, as PEM or as a KeyObject');
}

/** A token must not choose how it is verified: a public key is not a secret of HMAC (RFC 8725, 3.1). */
function algorithmsOf(call: string, options: JwtOptions, keys: readonly (string | KeyObject)[]): Algorithm[] {
  const { algorithms } = options;
  const [key] = keys;
  const isSecret = typeof key === 'string';
  if (algorithms === undefined) return [isSecret ? 'HS256' : usualAlgorithm(call, key as KeyObject)];
  const isRight =
    Array.isArray(algorithms) &&
    algorithms.length > 0 &&
    algorithms.every((each: unknown) => isAlgorithm(each) && ofSecrets.includes(each) === isSecret);
  if (isRight) return [...(algorithms as readonly Algorithm[])];
  return refuseOption(
    `${call}.algorithms`,
    'must be a list of algorithms that the key fits, such as HS256 for a secret or RS256',
  );
}

function isAlgorithm(value: unknown): value is Algorithm {
  return typeof value === 'string' && /^(?:HS|RS|PS|ES)(?:256|384|512)$/.test(value);
}

function usualAlgorithm(
  call: string,
  { asymmetricKeyType: type, asymmetricKeyDetails }: KeyObject,
): Algorithm {
  const ofKey = type === 'ec' ? ofCurve[asymmetricKeyDetails?.namedCurve ?? ''] : asymmetric[String(type)];
  return ofKey ?? refuseOption(`${call}.publicKey`, 'must be a key of RSA, or of P-256, P-384 or P-521');
}

interface Place {
  read(request: SessionRequest): string[];
  isAmbient: boolean;
  cookies: { name: string; domain?: string | undefined; path?: string | undefined }[];
}

function placeOf(call: string, { from, cookieDomain: domain, cookiePath: path }: JwtOptions): Place {
  const { cookie, header, ...others } = (from ?? {}) as { cookie?: unknown; header?: unknown };
  const given = [cookie, header].filter((each) => each !== undefined);
  if (given.length !== 1 || typeof given[0] !== 'string' || Object.keys(others).length > 0)
    refuseOption(`${call}.from`, "must be { cookie: '…' } with its name, or { header: 'Bearer' }");
  if (typeof cookie === 'string') {
    checkCookieName(`${call}.from.cookie`, cookie);
    return {
      read: ({ cookies }) => cookies(cookie),
      isAmbient: true,
      cookies: [{ name: cookie, domain, path }],
    };
  }
  const scheme = String(header).toLowerCase();
  return {
    read({ authorization = '' }) {
      const [first = '', token, ...rest] = authorization.trim().split(/ +/);
      return first.toLowerCase() === scheme && token !== undefined && rest.length === 0 ? [token] : [];
    },
    isAmbient: false,
    cookies: [],
  };
}
