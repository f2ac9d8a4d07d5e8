/**
 * The redirect transaction (RFC 9700, 2.1 and 4.7): the values that a start binds to the browser, in a signed token valid for ten minutes, and
 * that the response must match, once. The token names the provider, so that providers cannot be mixed up (4.4).
 */
import { constantTimeEqual, sha256 } from '../../crypto/digest.js';
import { randomToken } from '../../crypto/random.js';
import { openToken, signToken } from '../../crypto/signed-token.js';
import { isWellFormed } from '../../domain/storable-text.js';
import { InvalidRequestError, OAuthError } from '../../errors/catalog.js';
import type { Toolkit } from '../../core/toolkit.js';

const transactionTtlMs = 10 * 60_000;
const maxAppState = 512;
/** Of the state as JSON. Whatever it consists of, the transaction then fits into a cookie, and opens again. */
const maxAppStateBytes = 2048;

/** The values that the response, and the tokens it is exchanged for, must match. */
export interface BoundValues {
  state: string;
  nonce: string;
  codeVerifier: string;
}

/** The purpose of the redirect, returned at the end. */
export interface RedirectPurpose {
  appState: string | undefined;
  /** The user to whom the account at the provider is linked; without it, the response signs in. */
  linkTo?: string | undefined;
  /** False if the browser forgets the session when it closes. */
  remember?: boolean | undefined;
}

interface Transaction extends BoundValues, RedirectPurpose {
  provider: string;
}

export interface StartedRedirect {
  /** Where to send the browser. */
  url: string;
  /** The `state` of the response: identifies the transaction if a browser has started several. */
  state: string;
  /** For a cookie of this browser; `finishRedirect` takes it. */
  transaction: string;
  expiresAt: Date;
}

export class AuthorizationFlow {
  constructor(
    private readonly provider: string,
    private readonly tools: Pick<Toolkit, 'clock' | 'keys' | 'limiter'>,
  ) {}

  /**
   * @param purpose returned by `finish`; its `appState` has at most 512 characters, and 2048 bytes as JSON.
   * @param urlFor creates the authorization URL from the values of this transaction.
   * @throws InvalidRequestError
   */
  async start(
    { appState, linkTo, remember }: RedirectPurpose,
    urlFor: (bound: BoundValues) => Promise<string>,
  ): Promise<StartedRedirect> {
    if (appState !== undefined && (typeof appState !== 'string' || appState.length > maxAppState)) {
      throw new InvalidRequestError(`state must be a string of at most ${maxAppState} characters.`);
    }
    // Refused now, because a redirect cannot carry it when the sign-in or the link is complete.
    if (appState !== undefined && !isWellFormed(appState)) {
      throw new InvalidRequestError('state must not contain lone surrogates.', { field: 'state' });
    }
    if (appState !== undefined && Buffer.byteLength(JSON.stringify(appState)) > maxAppStateBytes) {
      throw new InvalidRequestError(`state must be at most ${maxAppStateBytes} bytes as JSON.`);
    }
    const { clock, keys } = this.tools;
    const bound = { state: randomToken(), nonce: randomToken(), codeVerifier: randomToken() };
    const url = await urlFor(bound);
    const content: Transaction = { provider: this.provider, ...bound, appState, linkTo, remember };
    const expiresAt = clock() + transactionTtlMs;
    const { token } = signToken(keys, 'oauth_transaction', JSON.stringify(content), expiresAt);
    return { url, state: bound.state, transaction: token, expiresAt: new Date(expiresAt) };
  }

  /**
   * Returns the values that the start bound, if `query` matches them and has not been used before.
   * @throws OAuthError with the reason `expired` otherwise.
   */
  async finish(
    query: URLSearchParams,
    transaction: unknown,
  ): Promise<{ bound: BoundValues } & RedirectPurpose> {
    const { clock, keys, limiter } = this.tools;
    const opened = openToken(keys, 'oauth_transaction', transaction, clock());
    if (opened.status !== 'valid')
      throw expired('This sign-in was not started in this browser, or too long ago.');
    const { provider, appState, linkTo, remember, ...bound } = JSON.parse(opened.subject) as Transaction;
    if (provider !== this.provider) throw expired('This sign-in was started with another provider.');
    const [state, ...others] = query.getAll('state');
    if (state === undefined || others.length > 0 || !constantTimeEqual(state, bound.state)) {
      throw expired('The response does not belong to this sign-in.');
    }
    if (!(await limiter.isFirstUse('oauth', opened.digest, transactionTtlMs)))
      throw expired('This response was already used.');
    return { bound, appState, linkTo, remember };
  }
}

const expired = (detail: string) => new OAuthError(detail, { reason: 'expired' });

/** RFC 7636, 4.2: the challenge is the verifier's SHA-256 in base64url. */
export function pkceChallenge(codeVerifier: string): Record<string, string> {
  return { code_challenge: sha256(codeVerifier), code_challenge_method: 'S256' };
}
