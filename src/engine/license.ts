/** The licence of a service: checked offline at `init()`, never a reason not to start. */
import { openLicense, type License } from '../crypto/license-token.js';
import type { Clock } from '../kit/clock.js';
import type { Logger } from '../kit/logger.js';
import { vendorPublicKey } from './vendor-key.js';

/** The free tier (specification 1). Every other provider of the configuration needs a license. */
const freeProviders: ReadonlySet<string> = new Set(['emailCode', 'magicLink', 'emailPassword', 'google']);

const day = 24 * 60 * 60_000;
const noticeMs = 30 * day;

export class LicenseCheck {
  private license: License | null = null;
  private endsAt = 0;
  private hasWarnedOfEnd = false;
  /** When the last warning before the end was logged, in milliseconds since the epoch. */
  private lastNoticeAt = Number.NEGATIVE_INFINITY;

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
    if (remainingMs <= 0) {
      if (this.hasWarnedOfEnd) return;
      this.hasWarnedOfEnd = true;
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

  /** Whoever uses the free tier alone misses nothing. */
  private warnOfNone(): void {
    const wanted = Object.keys(this.options.providers).filter((name) => !freeProviders.has(name));
    if (wanted.length === 0) return;
    this.logger.warn(
      { event: 'license_absent', providers: wanted },
      'there is no licenseKey; Pro features are off',
    );
  }
}
