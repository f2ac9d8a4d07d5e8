/** Where the redirecting answers go. */
import type { Response } from 'express';
import { ConfigError } from '../errors/catalog.js';
import type { ServiceError } from '../errors/service-error.js';

export interface RedirectOptions {
  /** Where a sign-in by link or identity provider ends. Default `/`. */
  successRedirect?: string;
  /** Where it ends when it failed: used as given, or made from the error. Default: `successRedirect` with `?error=<code>`, and `&reason=` if the error has one. */
  failureRedirect?: string | ((error: ServiceError) => string);
}

export interface Redirects {
  success(appState?: string): string;
  failure(error: ServiceError): string;
}

/** @throws ConfigError for a target that is neither a path nor an http(s) URL. */
export function createRedirects(options: RedirectOptions): Redirects {
  const { successRedirect = '/', failureRedirect } = options;
  const faults = [
    ...targetFault('successRedirect', successRedirect),
    ...(typeof failureRedirect === 'function' ? [] : targetFault('failureRedirect', failureRedirect ?? '/')),
  ];
  if (faults.length > 0) throw new ConfigError(faults);
  const usual = ({ code, reason }: ServiceError) => {
    const target = withQuery(successRedirect, 'error', code);
    return reason === undefined ? target : withQuery(target, 'reason', reason);
  };
  return {
    success: (appState) =>
      appState === undefined ? successRedirect : withQuery(successRedirect, 'state', appState),
    failure(error) {
      if (typeof failureRedirect !== 'function') return failureRedirect ?? usual(error);
      const target = attempted(failureRedirect, error);
      return isTarget(target) ? target : usual(error);
    },
  };
}

/** A function of the application that throws has no target to offer. */
function attempted(make: (error: ServiceError) => string, error: ServiceError): unknown {
  try {
    return make(error);
  } catch {
    return undefined;
  }
}

/** Without a body, which would repeat the target. @param status 303 in answer to a POST: what follows is a GET (RFC 9110, 15.4.4). */
export function redirect(res: Response, target: string, status: 302 | 303 = 302): void {
  res.statusCode = status;
  // Not `res.location`, which encodes again what is encoded.
  res.setHeader('Location', target);
  res.end();
}

function targetFault(path: string, target: unknown) {
  return isTarget(target)
    ? []
    : [{ path, message: 'must be a path that starts with one /, or an http(s) URL' }];
}

// `//host` and `/\host` are other sites to a browser; beyond printable ASCII a header has its own ideas.
function isTarget(target: unknown): target is string {
  if (typeof target !== 'string' || !/^[\x21-\x7e]+$/.test(target)) return false;
  return /^\/(?![/\\])/.test(target) || (/^https?:\/\//.test(target) && URL.canParse(target));
}

function withQuery(target: string, name: string, value: string): string {
  const [beforeHash = '', ...hash] = target.split('#');
  const separator = beforeHash.includes('?') ? '&' : '?';
  return [`${beforeHash}${separator}${name}=${encodeURIComponent(value)}`, ...hash].join('#');
}
