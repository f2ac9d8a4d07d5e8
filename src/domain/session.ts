/** A signed-in device: one row per sign-in. */

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
