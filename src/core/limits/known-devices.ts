/**
 * Recognizes browsers that have signed in to an account before (OWASP, device cookies; docs/decisions/limits.md), by a signed list of
 * accounts that only the browser has. The list authenticates no one; it decides which limits apply.
 */
import { constantTimeEqual, mac } from '../../crypto/digest.js';
import type { Keyring } from '../../crypto/keys.js';
import { openToken, signToken } from '../../crypto/signed-token.js';
import type { Clock } from '../support/clock.js';

/** An account that the browser has signed in to. */
interface KnownAccount {
  userId: string;
  /** Epoch of the user at the sign-in: revoking all sessions since then voids the entry. */
  epoch: number;
  /** MAC of the address, so that the token does not reveal it; empty for an account without an address. */
  address: string;
  expiresAt: number;
}

export interface DeviceToken {
  token: string;
  expiresAt: Date;
}

const purpose = 'known_device';
const ttlMs = 90 * 24 * 60 * 60_000;
const maxAccounts = 4;

export class KnownDevices {
  constructor(
    private readonly keys: Keyring,
    private readonly clock: Clock,
  ) {}

  /** Returns the token of a browser after a sign-in. It keeps the accounts of the previous token, up to four in total. */
  remember(
    previous: string | undefined,
    { userId, epoch, email }: { userId: string; epoch: number; email: string | null },
  ): DeviceToken {
    const expiresAt = this.clock() + ttlMs;
    const [address = ''] = email === null ? [] : this.macsOf(email);
    const others = this.accounts(previous).filter((account) => account.userId !== userId);
    const accounts = [...others, { userId, epoch, address, expiresAt }].slice(-maxAccounts);
    const { token } = signToken(this.keys, purpose, JSON.stringify(accounts), expiresAt);
    return { token, expiresAt: new Date(expiresAt) };
  }

  /**
   * Returns whether one of the token's accounts is the user that `find` resolves, and has not been signed out everywhere since.
   * @param address only accounts with this address count; null counts every account. `find` is not called if no account counts.
   */
  async isKnown(
    token: string | undefined,
    address: string | null,
    find: () => Promise<{ id: string; epoch: number } | null>,
  ): Promise<boolean> {
    const all = this.accounts(token);
    // Most requests have no token: the MACs are left out then.
    if (all.length === 0) return false;
    const macs = address === null ? null : this.macsOf(address);
    const accounts = all.filter(
      (account) => macs?.some((addressMac) => constantTimeEqual(addressMac, account.address)) ?? true,
    );
    const user = accounts.length === 0 ? null : await find();
    return accounts.some(({ userId, epoch }) => userId === user?.id && epoch === user.epoch);
  }

  private accounts(token: string | undefined): KnownAccount[] {
    const opened = openToken(this.keys, purpose, token, this.clock());
    if (opened.status !== 'valid') return [];
    const accounts = JSON.parse(opened.subject) as KnownAccount[];
    return accounts.filter(({ expiresAt }) => this.clock() < expiresAt);
  }

  /** Returns the MACs of an address under every secret, the signing secret first. */
  private macsOf(address: string): string[] {
    return this.keys
      .subkeys(purpose)
      .map((key) => mac(key, 'address', address).subarray(0, 16).toString('base64url'));
  }
}
