/**
 * The license of a service: checked offline at `init()`, never a reason not to start. `requireLicense` in service.ts enforces it.
 * Existing passkeys, refresh tokens and second factors work without one: see their routes, and docs/license.md.
 */
import { openLicense, type License } from '../crypto/license-token.js';
import type { Clock } from '../core/support/clock.js';
import type { Logger } from '../core/support/logger.js';
import { providerTable } from '../providers/table.js';
import { vendorPublicKey } from './vendor-key.js';

const proProviders = Object.entries(providerTable).flatMap(([name, { tier }]) =>
  tier === 'pro' ? [name] : [],
);

const day = 24 * 60 * 60_000;
const noticeMs = 30 * day;

export class LicenseCheck {
  private license: License | null = null;
  private expiresAtMs = 0;
  private hasLoggedExpiry = false;
  /** When the last warning before expiry was logged, in milliseconds since the epoch. */
  private lastNoticeAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly options: { licenseKey?: string; licensePublicKey?: string; providers: object },
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  /**
   * Whether the license is valid now; false before `verify`. Reading it also logs the warnings before the license expires: a
   * timer would have to be stopped.
   */
  get isValid(): boolean {
    if (this.license === null) return false;
    const remainingMs = this.expiresAtMs - this.clock();
    this.warnOfExpiry(this.license, remainingMs);
    return remainingMs > 0;
  }

  /** Verifies the license. An invalid or expired license logs a warning; the free tier keeps working. */
  verify(): void {
    const { licenseKey, licensePublicKey = vendorPublicKey } = this.options;
    if (licenseKey === undefined) return this.warnOfMissingKey();
    this.license = openLicense(licenseKey, licensePublicKey);
    if (this.license === null) {
      this.logger.warn(
        { event: 'license_invalid' },
        'licenseKey is not a valid license; Pro features are off',
      );
      return;
    }
    const { expiresAt } = this.license;
    this.expiresAtMs = expiresAt === undefined ? Number.POSITIVE_INFINITY : Date.parse(expiresAt);
    this.warnOfExpiry(this.license, this.expiresAtMs - this.clock());
  }

  private warnOfExpiry({ holder, expiresAt }: License, remainingMs: number): void {
    if (remainingMs > noticeMs) return;
    if (remainingMs <= 0) {
      if (this.hasLoggedExpiry) return;
      this.hasLoggedExpiry = true;
      this.logger.warn(
        { event: 'license_expired', expiresAt },
        'the license has expired; Pro features are off, except that passkeys, refresh tokens and second factors still sign in',
      );
      return;
    }
    const now = this.clock();
    if (now - this.lastNoticeAt < day) return;
    this.lastNoticeAt = now;
    const event = 'license_expiring';
    const remainingDays = Math.floor(remainingMs / day);
    const message = `the license of ${holder} expires in ${remainingDays} days`;
    this.logger.warn({ event, expiresAt, remainingDays }, message);
  }

  /** Logs a warning only if a Pro provider is configured. */
  private warnOfMissingKey(): void {
    const providers = proProviders.filter((name) => name in this.options.providers);
    if (providers.length === 0) return;
    this.logger.warn(
      { event: 'license_absent', providers },
      'there is no licenseKey; Pro features are off: pass licenseKey: communityLicense',
    );
  }
}
