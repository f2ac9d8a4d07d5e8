/** A signed-in device: one row per sign-in. */
import { InvalidRequestError } from '../errors/catalog.js';
import type { StoredUser } from './user.js';

/** What is known of the device that signed in. */
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
}

/** A session as a device list shows it. */
export interface DeviceSession extends ServiceSession {
  /** True for the session that asked. */
  current: boolean;
}

/**
 * The known fields of a device, as texts of at most 512 characters.
 * @throws InvalidRequestError for anything else.
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
 * Returns whether the session had ended before the change that `user` shows: a change ends the sessions at the time that it writes to
 * the user. What an owner has ended does not continue because a change was in flight.
 */
export function endedBefore({ revokedAt }: ServiceSession, { updatedAt }: StoredUser): boolean {
  return revokedAt !== null && revokedAt.getTime() !== updatedAt.getTime();
}
