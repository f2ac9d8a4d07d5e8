/** One-time passwords by the clock (RFC 6238): SHA-1, six digits, thirty seconds, as every authenticator app knows them. */
import { loadOtpAuth } from '../runtime/load.js';
import { randomBase32 } from './random.js';

const parameters = { algorithm: 'SHA1', digits: 6, period: 30 } as const;
const periodMs = parameters.period * 1000;

/** 20 random bytes, the length that RFC 4226, 4 recommends, in base32. */
export function newTotpSecret(): string {
  return randomBase32(20);
}

/** The `otpauth://` address that an app scans as a QR code. @param label whose account it is. */
export function totpUri(secret: string, issuer: string, label: string): string {
  return new (loadOtpAuth().TOTP)({ ...parameters, secret, issuer, label }).toString();
}

/**
 * The time step whose code this is: the present one or one next to it, for clocks that differ (RFC 6238, 5.2). Null for a
 * wrong code. Digits are compared in constant time.
 * @param now milliseconds since the epoch.
 */
export function totpStepOf(secret: string, code: string, now: number): number | null {
  const { Secret, TOTP } = loadOtpAuth();
  if (!/^\d{6}$/.test(code)) return null;
  const step = Math.floor(now / periodMs);
  const match = TOTP.validate({
    ...parameters,
    secret: Secret.fromBase32(secret),
    token: code,
    timestamp: now,
    window: 1,
  });
  return match === null ? null : step + match;
}
