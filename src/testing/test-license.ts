/** A licence for tests and demonstrations, under a key pair of its own. */
import { generateLicenseKeys, issueLicense } from '../crypto/license-token.js';

export interface TestLicense {
  licenseKey: string;
  licensePublicKey: string;
}

/** Pass both to `createService`. @param options.expiresAt ten years from now by default. */
export function testLicense(options: { expiresAt?: Date; issuedAt?: Date } = {}): TestLicense {
  const { issuedAt = new Date(), expiresAt = new Date(issuedAt.getTime() + 10 * 365 * 86_400_000) } = options;
  const { privateKey, publicKey } = generateLicenseKeys();
  const licenseKey = issueLicense({ holder: 'Tests', issuedAt, expiresAt }, privateKey);
  return { licenseKey, licensePublicKey: publicKey };
}
