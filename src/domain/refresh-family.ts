/** Refresh tokens: one family per sign-in, one valid token per family. */
import type { DeviceInfo } from './session.js';

/** Which route continues a family: `refresh` that of the provider, `bearer` that of bearer sessions. */
export type RefreshFamilyKind = 'refresh' | 'bearer';

export interface RefreshFamily {
  id: string;
  /** Null if the previous release has issued it: both routes continue it. */
  kind: RefreshFamilyKind | null;
  userId: string;
  /** Identifies the valid token; each rotation raises it by one. */
  counter: number;
  /** Time of the last rotation, or of the sign-in. */
  rotatedAt: Date;
  /** The user's epoch at sign-in: revoking all sessions ends the family. */
  epoch: number;
  /** Custom claims of the access tokens. */
  claims: Record<string, unknown>;
  device: DeviceInfo;
  createdAt: Date;
  /** Absolute: a rotation does not extend it. */
  expiresAt: Date;
  revokedAt: Date | null;
}

/** A refresh family as lists show it. */
export interface PublicRefreshFamily {
  id: string;
  device: DeviceInfo;
  /** Time of the sign-in. */
  createdAt: Date;
  /** Time of the last refresh; null if the first refresh token has not been used yet. */
  lastUsedAt: Date | null;
  expiresAt: Date;
  /** True for the family of the token that made the request. */
  current: boolean;
}

/** What refresh operations return. */
export interface TokenPair {
  /** Present if the tokens are bound to the key of the client, which every request must prove (RFC 9449). */
  tokenType?: 'DPoP';
  /** A session token that is valid for 15 minutes and bound to the family. */
  accessToken: string;
  accessExpiresAt: Date;
  refreshToken: string;
  refreshExpiresAt: Date;
  familyId: string;
}

/** The stored record of refresh tokens (specification 2.2): one per family, not per token. */
export type RefreshToken = RefreshFamily;
