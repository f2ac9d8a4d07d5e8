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
  private endsAt = 0;
  /** What was warned of. The end comes after its announcement, and each is told once. */
  private readonly warned = new Set<'license_expiring' | 'license_expired'>();

  constructor(
    private readonly options: { licenseKey?: string; licensePublicKey?: string; providers: object },
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  /**
   * Before `verify` nothing is licensed; after it, as long as the licence lasts. Whoever asks sets off the warnings of a
   * process that runs for longer than its licence: a timer would be one more thing to end.
   */
  get holds(): boolean {
    if (this.license === null) return false;
    const remainingMs = this.endsAt - this.clock();
    this.warnOfEnd(this.license, remainingMs);
    return remainingMs > 0;
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
    this.endsAt = Date.parse(this.license.expiresAt);
    this.warnOfEnd(this.license, this.endsAt - this.clock());
  }

  private warnOfEnd({ holder, expiresAt }: License, remainingMs: number): void {
    if (remainingMs > noticeMs) return;
    const event = remainingMs > 0 ? 'license_expiring' : 'license_expired';
    if (this.warned.has(event)) return;
    this.warned.add(event);
    if (event === 'license_expired') {
      this.logger.warn({ event, expiresAt }, 'the licence has expired; Pro features are off');
      return;
    }
    const remainingDays = Math.floor(remainingMs / day);
    const message = `the licence of ${holder} expires in ${remainingDays} days`;
    this.logger.warn({ event, expiresAt, remainingDays }, message);
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
