/** What a draw consists of: requests in which whatever exists only while the storm goes on is a reference, looked up when they are sent. */
import type { Mutation } from './arbitraries.js';

/** A value of this name that the storm knows by then, changed or not. */
export class Known {
  /** @param of whose: a caller, an address, or a reference to one; without it, anybody's. */
  constructor(
    readonly name: string,
    readonly nth = 0,
    readonly changes: readonly Mutation[] = [],
    readonly of?: unknown,
  ) {}
}

export type Caller = 'nobody' | 'guest' | 'member' | 'fresh';
export const callers: readonly Caller[] = ['nobody', 'guest', 'member', 'fresh'];

/** That the routes set. */
export const ownCookies = ['svc_session', 'svc_mfa', 'svc_oauth', 'svc_webauthn'] as const;

export interface DrawnRequest {
  method: string;
  /** Segments of the path; texts go as they are. */
  path: readonly unknown[];
  query: readonly unknown[];
  headers: Record<string, unknown>;
  /** In front of and behind the caller's own. */
  cookies: readonly [unknown, unknown];
  body: unknown;
  caller: Caller;
  /** Who signs in at the identity provider, where it leads there. */
  subject?: string;
  /** What passes before it is sent, beside the second that always does. */
  waitMs?: number;
}

/** As a browser would put it into an address; a lone half of a character has no such form. */
export const encoded = (text: string) =>
  encodeURIComponent(text.slice(0, 500).replace(/\p{Surrogate}/gu, '\ufffd'));
