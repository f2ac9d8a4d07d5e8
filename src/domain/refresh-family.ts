/** Refresh tokens: one family per sign-in, one live token per family. */
import type { DeviceInfo } from './session.js';

export interface RefreshFamily {
  id: string;
  userId: string;
  /** Names the live token; each rotation raises it by one. */
  counter: number;
  /** Time of the last rotation, or of the issue. */
  rotatedAt: Date;
  /** The user's epoch at issue: a revocation of all sessions ends the family. */
  epoch: number;
  /** Custom claims of the access tokens. */
  claims: Record<string, unknown>;
  device: DeviceInfo;
  createdAt: Date;
  /** Absolute: rotation does not move it. */
  expiresAt: Date;
  revokedAt: Date | null;
}

/** What refresh operations return. */
export interface TokenPair {
  /** A session token of 15 minutes, bound to the family. */
  accessToken: string;
  accessExpiresAt: Date;
  refreshToken: string;
  refreshExpiresAt: Date;
  familyId: string;
}
