/** The targets of redirects. */
import type { Response } from 'express';
import { ConfigError } from '../errors/catalog.js';
import type { ServiceError } from '../errors/service-error.js';
import type { PageTargets, SignInOrigin } from '../core/internals.js';

export interface RedirectOptions {
  /** Where a sign-in with a link or an identity provider ends. Default: the page that was asked for, with `svc-auth/pages`; else `/`. */
  successRedirect?: string;
  /**
   * Where a failed sign-in ends: a target that is used unchanged, or a function that returns one.
   * Default: a page of `svc-auth/pages`, if the application has them and sets neither target; else `successRedirect` with
   * `?error=<code>`, and `&reason=` if the error has a reason.
   */
  failureRedirect?: string | ((error: ServiceError) => string);
}

export interface Redirects {
  success(origin?: SignInOrigin): string;
  /** @param origin for `svc-auth/pages`, if the sign-in is not refused but waits for its second step. */
  failure(error: ServiceError, origin?: SignInOrigin): string;
  /** Returns the sources of `form-action` in a Content Security Policy to which a form may be redirected. */
  formTargets(): string[];
}

/**
 * @param pages the targets of `svc-auth/pages`, if the application has them by the time of a redirect.
 * @throws ConfigError if a target is neither a path nor an http(s) URL.
 */
export function createRedirects(options: RedirectOptions, pages: PageTargets = {}): Redirects {
  const { successRedirect, failureRedirect } = options;
  const faults = [
    ...targetFault('successRedirect', successRedirect ?? '/'),
    ...(typeof failureRedirect === 'function' ? [] : targetFault('failureRedirect', failureRedirect ?? '/')),
  ];
  if (faults.length > 0) throw new ConfigError(faults);
  const successTarget = (origin: SignInOrigin = {}) => successRedirect ?? pages.success?.(origin) ?? '/';
  const defaultTarget = (error: ServiceError, origin: SignInOrigin = {}) => {
    const { code, reason } = error;
    if (successRedirect === undefined && pages.failure) return pages.failure(error, origin);
    const target = withQuery(successTarget(), 'error', code);
    return reason === undefined ? target : withQuery(target, 'reason', reason);
  };
  return {
    success(origin) {
      const target = successTarget(origin);
      return origin?.appState === undefined ? target : withQuery(target, 'state', origin.appState);
    },
    failure(error, origin) {
      if (typeof failureRedirect !== 'function') return failureRedirect ?? defaultTarget(error, origin);
      const target = callSafely(failureRedirect, error);
      return isTarget(target) ? target : defaultTarget(error);
    },
    formTargets: () =>
      // A function can return any target, which is unknown until there is an error.
      typeof failureRedirect === 'function'
        ? ['https:', 'http:']
        : [...new Set([successRedirect, failureRedirect].flatMap(originOf))],
  };
}

/** Returns no origin for a path. */
function originOf(target: string | undefined): string[] {
  return target === undefined || target.startsWith('/') ? [] : [new URL(target).origin];
}

/** Returns undefined if the function of the application throws. */
function callSafely(targetOf: (error: ServiceError) => string, error: ServiceError): unknown {
  try {
    return targetOf(error);
  } catch {
    return undefined;
  }
}

/** Redirects without a body, which would repeat the target. */
export function redirect(res: Response, target: string, status: 302 | 303 | 307 = 302): void {
  res.statusCode = status;
  // Not `res.location`, which would encode the target a second time.
  res.setHeader('Location', target);
  res.end();
}

function targetFault(path: string, target: unknown) {
  return isTarget(target)
    ? []
    : [{ path, message: 'must be a path that starts with one /, or an http(s) URL' }];
}

// Browsers treat `//host` and `/\host` as another site. Headers are reliable for printable ASCII
// only.
export function isTarget(target: unknown): target is string {
  if (typeof target !== 'string' || !/^[\x21-\x7e]+$/.test(target)) return false;
  return /^\/(?![/\\])/.test(target) || (/^https?:\/\//.test(target) && URL.canParse(target));
}

function withQuery(target: string, name: string, value: string): string {
  const [beforeHash = '', ...hash] = target.split('#');
  const separator = beforeHash.includes('?') ? '&' : '?';
  return [`${beforeHash}${separator}${name}=${encodeURIComponent(value)}`, ...hash].join('#');
}
