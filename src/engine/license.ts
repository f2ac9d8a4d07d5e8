/** The licence of a service: checked offline at `init()`, never a reason not to start. */
import { openLicense, type License } from '../crypto/license-token.js';
import type { Clock } from '../kit/clock.js';
import type { Logger } from '../kit/logger.js';
import { vendorPublicKey } from './vendor-key.js';

const proProviders = new Set([
  'oauth',
  'phoneOtp',
  'totp',
  'webauthn',
  'refresh',
  'sessions',
  'apiKeys',
  'orgs',
  'account',
]);

const day = 24 * 60 * 60_000;
const noticeMs = 30 * day;

export class LicenseCheck {
  private license: License | null = null;

  constructor(
    private readonly options: { licenseKey?: string; licensePublicKey?: string; providers: object },
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  /** Before `verify` nothing is licensed; after it, as long as the licence lasts. */
  get holds(): boolean {
    return this.license !== null && this.clock() < Date.parse(this.license.expiresAt);
  }

  /** Reads the licence. A wrong or expired one is a warning: the free tier works on. */
  verify(): void {
    const { licenseKey, licensePublicKey = vendorPublicKey } = this.options;
    if (licenseKey === undefined) return this.warnOfNone();
    this.license = openLicense(licenseKey, licensePublicKey);
    if (this.license === null) {
      this.logger.warn(
        { event: 'license_invalid' },
        'licenseKey is not a valid licence; Pro features are off',
      );
      return;
    }
    const { holder, expiresAt } = this.license;
    const remainingMs = Date.parse(expiresAt) - this.clock();
    if (!this.holds) {
      this.logger.warn(
        { event: 'license_expired', expiresAt },
        'the licence has expired; Pro features are off',
      );
    } else if (remainingMs <= noticeMs) {
      const remainingDays = Math.floor(remainingMs / day);
      const message = `the licence of ${holder} expires in ${remainingDays} days`;
      this.logger.warn({ event: 'license_expiring', expiresAt, remainingDays }, message);
    }
  }

  /** Whoever uses the free tier alone misses nothing. */
  private warnOfNone(): void {
    const wanted = Object.keys(this.options.providers).filter((name) => proProviders.has(name));
    if (wanted.length === 0) return;
    this.logger.warn(
      { event: 'license_absent', providers: wanted },
      'there is no licenseKey; Pro features are off',
    );
  }
}
