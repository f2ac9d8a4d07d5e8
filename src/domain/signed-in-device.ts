/** What gives access to an account, in one list: browsers, apps, and browsers that skip the second step of a sign-in. */
import { clientName, givenName } from './device-name.js';
import type { DeviceInfo } from './session.js';

/**
 * - `browser`: a session.
 * - `app`: a family of refresh tokens, of an app or of a bearer session.
 * - `trusted_browser`: a browser that needs no second factor. It does not give access without the first one.
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
  createdAt: Date;
  /** The last renewal, refresh or use. Null if there was none yet. */
  lastSeenAt: Date | null;
  expiresAt: Date;
  /** True for what the request was made with. */
  current: boolean;
}

/** The times of a device, and whether it is the caller's. */
type DeviceState = Pick<SignedInDevice, 'id' | 'createdAt' | 'lastSeenAt' | 'expiresAt' | 'current'>;

export function toSignedInDevice(kind: DeviceKind, device: DeviceInfo, state: DeviceState): SignedInDevice {
  const { id, createdAt, lastSeenAt, expiresAt, current } = state;
  const names = { name: givenName(device), client: clientName(device), ip: device.ip ?? null };
  return { kind, id, ...names, createdAt, lastSeenAt, expiresAt, current };
}
