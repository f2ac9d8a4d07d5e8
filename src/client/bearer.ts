/**
 * The tokens of a bearer session: kept in memory or in a storage of the application, sent with every request, and rotated in time.
 * Requests of this page wait for one rotation, and tabs that share a storage take turns, so that a token is used once.
 */
import type { ProofOptions } from './key-proofs.js';
import { withLock } from './lock.js';

type MaybePromise<Value> = Value | Promise<Value>;

/** Keeps the session when the page closes. What it returns can sign in: read the security notes of docs/single-page-applications.md. */
export interface TokenStorage {
  get(): MaybePromise<string | null>;
  /** Null removes the value. */
  set(value: string | null): MaybePromise<void>;
}

export interface BearerOptions {
  /** Default: memory. The session then ends when the page is reloaded or closed. */
  storage?: TokenStorage;
  /**
   * Binds the session to a key of this client (DPoP, RFC 9449): every request is signed, and tokens that were copied are worthless without
   * the key. `true`, or an object. Requires the Web Crypto API.
   */
  dpop?: boolean | ProofOptions;
}

interface Tokens {
  accessToken: string;
  refreshToken: string;
  /** `DPoP` for tokens that are bound to the key of this client. */
  type: 'Bearer' | 'DPoP';
  /** By the clock of this device, in milliseconds. */
  renewAt: number;
}

type Json = Record<string, unknown>;

/** Requests a rotation. Returns the parsed response, or undefined if it is not from the service. @throws AuthClientError without a response. */
export type Rotate = (refreshToken: string) => Promise<{ status: number; body: Json | undefined }>;

export interface BearerTokens {
  /** Returns the headers of a request, after a rotation if that is due. */
  headers(): Promise<Record<string, string>>;
  /** Takes the tokens out of a response. */
  learn(path: string, response: Json): Promise<void>;
  /** After a refusal: rotates unless that has happened since. Returns whether a request with the new token can succeed. */
  renew(refused: string | undefined): Promise<boolean>;
}

// eslint-disable-next-line no-restricted-properties -- a browser has no other clock
const now = () => Date.now();

/** Before the access token expires. */
const marginMs = 10_000;

export function createBearerTokens(
  { storage = memoryStorage() }: BearerOptions,
  lockName: string,
  rotate: Rotate,
): BearerTokens {
  let pending: string | undefined;
  let rotation: Promise<void> | undefined;

  const load = async (): Promise<Tokens | null> => parsed(await storage.get());
  const save = async (tokens: Tokens | null) => storage.set(tokens && JSON.stringify(tokens));

  /** @param isDue decides under the lock: another tab may have rotated in the meantime. */
  // Without locks, the service accepts a parallel use for some seconds.
  const rotateIf = async (isDue: (tokens: Tokens) => boolean) => {
    rotation ??= withLock(lockName, async () => {
      const tokens = await load();
      if (!tokens || !isDue(tokens)) return;
      const { status, body } = await rotate(tokens.refreshToken);
      // A sign-in or a sign-out has replaced the tokens in the meantime.
      if ((await load())?.refreshToken !== tokens.refreshToken) return;
      const next = body && status < 400 ? toTokens(body) : null;
      if (next) await save(next);
      else if (body?.['error'] === 'refresh_token_invalid') await save(null);
    }).finally(() => (rotation = undefined));
    await rotation;
  };

  return {
    async headers() {
      const isDue = ({ renewAt }: Tokens) => now() >= renewAt;
      let tokens = await load();
      if (tokens && isDue(tokens)) {
        await rotateIf(isDue);
        tokens = await load();
      }
      return {
        'svc-session': 'bearer',
        ...(tokens && { authorization: credentials(tokens) }),
        ...(pending !== undefined && { 'svc-mfa': pending }),
      };
    },
    async learn(path, { bearer, error, pending: waiting }) {
      const tokens = toTokens(bearer);
      const { token } = (waiting ?? {}) as Json;
      if (tokens) {
        pending = undefined;
        await save(tokens);
      } else if (error === 'mfa_required' && typeof token === 'string') {
        pending = token;
      } else if (path === '/logout' && error === undefined) {
        await save(null);
      }
    },
    async renew(refused) {
      if (refused === undefined) return false;
      await rotateIf((tokens) => refused === credentials(tokens));
      const tokens = await load();
      return tokens !== null && refused !== credentials(tokens);
    },
  };
}

/** Tokens that an earlier version has stored have no type. */
const credentials = ({ type = 'Bearer', accessToken }: Tokens) => `${type} ${accessToken}`;

function memoryStorage(): TokenStorage {
  let stored: string | null = null;
  return { get: () => stored, set: (value) => void (stored = value) };
}

function toTokens(response: unknown): Tokens | null {
  const { accessToken, refreshToken, tokenType } = (response ?? {}) as Json;
  if (typeof accessToken !== 'string' || typeof refreshToken !== 'string') return null;
  const type = tokenType === 'DPoP' ? 'DPoP' : 'Bearer';
  return { accessToken, refreshToken, type, renewAt: now() + lifetimeOf(accessToken) - marginMs };
}

/**
 * Returns the lifetime of a token in milliseconds. The clock of the device may be wrong, so the times of the token are only compared with
 * each other.
 */
function lifetimeOf(token: string): number {
  try {
    const payload = (token.split('.')[1] ?? '').replace(/-/g, '+').replace(/_/g, '/');
    const { iat, exp } = JSON.parse(globalThis.atob(payload)) as { iat: number; exp: number };
    return Number.isFinite(exp - iat) ? (exp - iat) * 1000 : Infinity;
  } catch {
    // Without `atob`, the token is rotated when it is refused.
    return Infinity;
  }
}

function parsed(text: string | null): Tokens | null {
  try {
    const value = JSON.parse(text ?? 'null') as Tokens | null;
    return typeof value?.refreshToken === 'string' && typeof value.accessToken === 'string' ? value : null;
  } catch {
    return null;
  }
}
