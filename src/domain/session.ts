/** A signed-in device: one row per sign-in. */
import { InvalidRequestError } from '../errors/catalog.js';
import type { StoredUser } from './user.js';

/** The device that signed in. */
export interface DeviceInfo {
  name?: string;
  userAgent?: string;
  ip?: string;
}

export interface ServiceSession {
  id: string;
  userId: string;
  device: DeviceInfo;
  /** Time of the sign-in; `session.maxAgeMs` counts from here. */
  createdAt: Date;
  /** Last renewal: a session in use is renewed once per `session.renewAfterMs`. */
  lastSeenAt: Date;
  expiresAt: Date;
  revokedAt: Date | null;
  /** When it was bound to a key of the browser (`session.bound`). Null for an ordinary session. */
  boundAt: Date | null;
}

/** A session as a device list shows it. */
export interface DeviceSession extends ServiceSession {
  /** True for the session that made the request. */
  current: boolean;
}

/**
 * Returns the known fields of a device, strings of at most 512 characters.
 * @throws InvalidRequestError if the device is not an object, or a field is not such a string.
 */
export function parseDevice(input: unknown): DeviceInfo {
  if (input === undefined) return {};
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw new InvalidRequestError('device must be an object.');
  }
  const device: DeviceInfo = {};
  for (const field of ['name', 'userAgent', 'ip'] as const) {
    const value = (input as Record<string, unknown>)[field];
    if (value === undefined) continue;
    if (typeof value !== 'string' || value.length > 512) {
      throw new InvalidRequestError(`device.${field} must be a string of at most 512 characters.`);
    }
    device[field] = value;
  }
  return device;
}

/**
 * Returns whether the session was revoked before the last change of `user`. A change revokes
 * sessions at the time that it writes to `updatedAt`. A session that the user revoked earlier must
 * not continue because a change was in progress.
 */
export function endedBefore({ revokedAt }: ServiceSession, { updatedAt }: StoredUser): boolean {
  return revokedAt !== null && revokedAt.getTime() !== updatedAt.getTime();
}
