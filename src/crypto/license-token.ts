/**
 * Licenses: JSON and its Ed25519 signature, verified offline. The signature covers the base64url
 * string.
 */
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  sign,
  verify,
  type KeyObject,
} from 'node:crypto';
import { decodeBase64url } from './base64url.js';

export interface License {
  product: 'svc-auth';
  tier: 'pro';
  /** The name of the customer. */
  holder: string;
  /** ISO 8601. */
  issuedAt: string;
  /** Absent: the license does not expire. */
  expiresAt?: string;
}

export interface LicenseKeyPair {
  /** PEM, PKCS #8. Kept by the vendor. */
  privateKey: string;
  /** PEM, SPKI. The option `licensePublicKey`. */
  publicKey: string;
}

export function generateLicenseKeys(): LicenseKeyPair {
  return generateKeyPairSync('ed25519', {
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
}

export interface LicenseTerms {
  holder: string;
  issuedAt: Date;
  /** Default: never. */
  expiresAt?: Date;
}

/**
 * Signs a license for the Pro tier. @throws Error unless the key is an Ed25519 private key, or its
 * PEM.
 */
export function issueLicense(terms: LicenseTerms, privateKey: KeyObject | string): string {
  const license: License = {
    product: 'svc-auth',
    tier: 'pro',
    holder: terms.holder,
    issuedAt: terms.issuedAt.toISOString(),
    ...(terms.expiresAt && { expiresAt: terms.expiresAt.toISOString() }),
  };
  return signLicense(license, privateKey);
}

/** Signs a license. @throws Error unless the key is an Ed25519 private key, or its PEM. */
export function signLicense(license: License, privateKey: KeyObject | string): string {
  const body = Buffer.from(JSON.stringify(license)).toString('base64url');
  const key = typeof privateKey === 'string' ? createPrivateKey(privateKey) : privateKey;
  if (key.asymmetricKeyType !== 'ed25519') throw new Error('The private key must be an Ed25519 key.');
  const signature = sign(null, Buffer.from(body), key);
  return `${body}.${signature.toString('base64url')}`;
}

/**
 * Returns the license, even if it has expired, or null if it is malformed, forged, or for another
 * product.
 */
export function openLicense(licenseKey: string, publicKey: string): License | null {
  const [body = '', signature = '', ...rest] = licenseKey.trim().split('.');
  const signatureBytes = decodeBase64url(signature);
  if (rest.length > 0 || licenseKey.length > 8192 || !signatureBytes?.length) return null;
  try {
    const isSigned = verify(null, Buffer.from(body), createPublicKey(publicKey), signatureBytes);
    return isSigned ? parseLicense(JSON.parse(Buffer.from(body, 'base64url').toString())) : null;
  } catch {
    return null;
  }
}

function parseLicense(content: unknown): License | null {
  if (typeof content !== 'object' || content === null) return null;
  const { product, tier, holder, issuedAt, expiresAt } = content as Record<string, unknown>;
  const isLicense =
    product === 'svc-auth' &&
    tier === 'pro' &&
    typeof holder === 'string' &&
    isDate(issuedAt) &&
    (expiresAt === undefined || isDate(expiresAt));
  return isLicense ? (content as License) : null;
}

function isDate(value: unknown): value is string {
  return typeof value === 'string' && !Number.isNaN(Date.parse(value));
}
