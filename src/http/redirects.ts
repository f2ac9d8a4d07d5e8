/** Where the two redirecting answers go. */
import type { Response } from 'express';
import { ConfigError } from '../errors/catalog.js';
import type { ServiceError } from '../errors/service-error.js';

export interface RedirectOptions {
  /** Where a sign-in by link or identity provider ends. Default `/`. */
  successRedirect?: string;
  /** Where it ends when it failed: used as given, or made from the error. Default: `successRedirect` with `?error=<code>`. */
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
  return {
    success: (appState) =>
      appState === undefined ? successRedirect : withQuery(successRedirect, 'state', appState),
    failure(error) {
      if (typeof failureRedirect === 'function') return failureRedirect(error);
      return failureRedirect ?? withQuery(successRedirect, 'error', error.code);
    },
  };
}

/** A 302 without a body, which would repeat the target. */
export function redirect(res: Response, target: string): void {
  res.statusCode = 302;
  res.location(target);
  res.end();
}

// `//host` and `/\host` are other sites to a browser.
function targetFault(path: string, target: unknown) {
  const isPath = typeof target === 'string' && /^\/(?![/\\])[^\0-\x20\x7f]*$/.test(target);
  const isUrl =
    typeof target === 'string' && URL.canParse(target) && /^https?:$/.test(new URL(target).protocol);
  return isPath || isUrl
    ? []
    : [{ path, message: 'must be a path that starts with one /, or an http(s) URL' }];
}

function withQuery(target: string, name: string, value: string): string {
  const [beforeHash = '', ...hash] = target.split('#');
  const separator = beforeHash.includes('?') ? '&' : '?';
  return [`${beforeHash}${separator}${name}=${encodeURIComponent(value)}`, ...hash].join('#');
}
