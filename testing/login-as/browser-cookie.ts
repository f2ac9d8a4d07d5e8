/** The session cookie in the form that Playwright and Puppeteer take. */
import type { CookieOptions } from '../../src/core/internals.js';

export interface BrowserCookie {
  name: string;
  value: string;
  domain: string;
  path: string;
  httpOnly: boolean;
  secure: boolean;
  sameSite: 'Lax' | 'None' | 'Strict';
}

const sameSites = { lax: 'Lax', none: 'None', strict: 'Strict' } as const;

/** @param origin of the application in the browser. */
export function browserCookie(options: CookieOptions, value: string, origin: string): BrowserCookie {
  const { name, path, domain, sameSite, secure } = options;
  const { hostname, protocol } = new URL(origin);
  return {
    name,
    value,
    domain: domain ?? hostname,
    path,
    httpOnly: true,
    secure: secure === 'auto' ? protocol === 'https:' : secure,
    sameSite: sameSites[sameSite],
  };
}
