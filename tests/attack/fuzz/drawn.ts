/** Generated requests. A value that exists only during the storm is a reference, which is resolved when the request is sent. */
import type { Mutation } from './arbitraries.js';

/** A value with this name that the storm has learned by then, mutated or not. */
export class Known {
  /** @param of its owner: a caller, an address, or a reference to one; if undefined, any owner. */
  constructor(
    readonly name: string,
    readonly nth = 0,
    readonly changes: readonly Mutation[] = [],
    readonly of?: unknown,
  ) {}
}

export type Caller = 'visitor' | 'guest' | 'member' | 'fresh';
export const callers: readonly Caller[] = ['visitor', 'guest', 'member', 'fresh'];

/** Cookies that the routes set. */
export const ownCookies = ['svc_session', 'svc_mfa', 'svc_oauth', 'svc_webauthn'] as const;

export interface DrawnRequest {
  method: string;
  /** Segments of the path; strings are sent unchanged. */
  path: readonly unknown[];
  query: readonly unknown[];
  headers: Record<string, unknown>;
  /** In front of and behind the caller's own. */
  cookies: readonly [unknown, unknown];
  body: unknown;
  caller: Caller;
  /** Who signs in at the identity provider, if the request leads there. */
  subject?: string;
  /** Milliseconds that pass before it is sent, in addition to the second that always does. */
  waitMs?: number;
}

/** Encodes a string as a browser would for a URL; a lone surrogate has no such form. */
export const encoded = (text: string) =>
  encodeURIComponent(text.slice(0, 500).replace(/\p{Surrogate}/gu, '\ufffd'));
