/** A license for tests and demonstrations, under its own key pair. */
import { generateLicenseKeys, issueLicense } from '../src/crypto/license-token.js';

export interface TestLicense {
  licenseKey: string;
  licensePublicKey: string;
}

/**
 * Creates a license and its public key. Pass both to `createService`. @param options.expiresAt
 * Default: ten years after `issuedAt`.
 */
export function testLicense(options: { expiresAt?: Date; issuedAt?: Date } = {}): TestLicense {
  const { issuedAt = new Date(), expiresAt = new Date(issuedAt.getTime() + 10 * 365 * 86_400_000) } = options;
  const { privateKey, publicKey } = generateLicenseKeys();
  const licenseKey = issueLicense({ holder: 'Tests', issuedAt, expiresAt }, privateKey);
  return { licenseKey, licensePublicKey: publicKey };
}
