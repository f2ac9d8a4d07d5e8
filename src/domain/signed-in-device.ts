/** What gives access to an account, in one list: browsers, apps, and browsers that skip the second step of a sign-in. */
import { clientName, givenName } from './device-name.js';
import type { DeviceInfo } from './session.js';

/**
 * - `browser`: a session, or several of one trusted browser.
 * - `app`: a family of refresh tokens, of an app or of a bearer session.
 * - `trusted_browser`: a browser that needs no second factor, in which no session is active. It does not give access without the first
 *   factor.
 */
export const deviceKinds = ['browser', 'app', 'trusted_browser'] as const;
export type DeviceKind = (typeof deviceKinds)[number];

export interface SignedInDevice {
  kind: DeviceKind;
  id: string;
  /** The name that the application or the user gave. */
  name: string | null;
  /** From the user agent, such as `Firefox on Linux`. Only a hint: a client can send any user agent. */
  client: string | null;
  ip: string | null;
  /** The place of the address, if the application has the option `locate`. */
  place: string | null;
  createdAt: Date;
  /** The last renewal, refresh or use. Null if there was none yet. */
  lastSeenAt: Date | null;
  expiresAt: Date;
  /** The trust in a browser that needs no second factor. Null without one. */
  trust: { id: string; expiresAt: Date } | null;
  /** Whether it is bound to a key: a browser that has one (`session.bound`), or an app that proves one with each request (DPoP). */
  bound: boolean;
  /** True for what the request was made with. */
  current: boolean;
}

/** A device without its place. */
export type UnplacedDevice = Omit<SignedInDevice, 'place'>;

/** The times of a device, its trust, and whether it is the caller's. */
type DeviceState = Pick<
  SignedInDevice,
  'id' | 'createdAt' | 'lastSeenAt' | 'expiresAt' | 'trust' | 'current'
> & { boundAt?: Date | null };

export function toSignedInDevice(kind: DeviceKind, device: DeviceInfo, state: DeviceState): UnplacedDevice {
  const { id, createdAt, lastSeenAt, expiresAt, trust, current, boundAt = null } = state;
  const names = { name: givenName(device), client: clientName(device), ip: device.ip ?? null };
  return { kind, id, ...names, createdAt, lastSeenAt, expiresAt, trust, bound: boundAt !== null, current };
}
