/**
 * Time-based one-time passwords (RFC 6238): SHA-1, six digits, thirty seconds, which every
 * authenticator app supports.
 */
import { loadOtpAuth } from '../runtime/load.js';
import { randomBase32 } from './random.js';

const parameters = { algorithm: 'SHA1', digits: 6, period: 30 } as const;
const periodMs = parameters.period * 1000;

/** Creates a secret: 20 random bytes, the length that RFC 4226, 4 recommends, in base32. */
export function newTotpSecret(): string {
  return randomBase32(20);
}

/**
 * Returns the `otpauth://` URI for the QR code. @param label the user's name in the authenticator
 * app.
 */
export function totpUri(secret: string, issuer: string, label: string): string {
  return new (loadOtpAuth().TOTP)({
    ...parameters,
    secret,
    issuer: keyUriName(issuer),
    label: keyUriName(label),
  }).toString();
}

/** A colon separates the issuer from the label, and apps would show a part of either (Key URI Format). */
function keyUriName(name: string): string {
  return name.replace(/\s*:\s*/g, ' ').trim();
}

/**
 * Returns the time step of the code: the current step or an adjacent one, because clocks differ
 * (RFC 6238, 5.2). Null if the code is wrong. Digits are compared in constant time.
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
