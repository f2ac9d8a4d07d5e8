/** A browser in which the user need not repeat the second step of a sign-in for some days. */
import type { DeviceInfo } from './session.js';

export interface TrustedBrowser {
  id: string;
  userId: string;
  device: DeviceInfo;
  createdAt: Date;
  lastUsedAt: Date | null;
  expiresAt: Date;
}

export interface StoredTrustedBrowser extends TrustedBrowser {
  /** SHA-256 of the secret in the browser's cookie, base64url. */
  secretHash: string;
  /** Epoch of the user when the browser was trusted. Every revocation raises it and ends the trust. */
  epoch: number;
}

/** Returns the browser without its secret's hash. */
export function toPublicTrustedBrowser(browser: StoredTrustedBrowser): TrustedBrowser {
  const { id, userId, device, createdAt, lastUsedAt, expiresAt } = browser;
  return { id, userId, device, createdAt, lastUsedAt, expiresAt };
}
