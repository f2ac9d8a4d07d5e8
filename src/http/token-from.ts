/** `tokenFrom` of the guards: where a request has its token, if that is not `Authorization: Bearer`. */
import type { Request } from 'express';
import { InternalError, InvalidRequestError } from '../errors/catalog.js';

/** Returns the token of a request, or undefined if it has none there. */
export type TokenFrom = (req: Request) => string | null | undefined;

/** @throws InvalidRequestError when the guard is created. */
export function parseTokenFrom(tokenFrom: unknown): TokenFrom | undefined {
  if (tokenFrom === undefined || typeof tokenFrom === 'function') return tokenFrom as TokenFrom | undefined;
  throw new InvalidRequestError('tokenFrom must be a function of the request.');
}

/** @throws InternalError if the function of the application returns anything else, such as a promise. */
export function readToken(req: Request, tokenFrom: TokenFrom): string | undefined {
  const token: unknown = tokenFrom(req);
  if (token === null || token === undefined || token === '') return undefined;
  if (typeof token === 'string') return token;
  void Promise.resolve(token).catch(() => undefined);
  throw new InternalError(new Error('tokenFrom must return a string, or undefined without a token.'));
}
