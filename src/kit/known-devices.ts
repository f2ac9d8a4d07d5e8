/**
 * Browsers that have signed in to an account before (OWASP, device cookies; docs/decisions/limits.md): a signed list of accounts that
 * only its browser has. It authenticates nothing; it decides which limits count.
 */
import { constantTimeEqual, mac } from '../crypto/digest.js';
import type { Keyring } from '../crypto/keys.js';
import { openToken, signToken } from '../crypto/signed-token.js';
import type { Clock } from './clock.js';

/** A sign-in that the browser remembers. */
interface KnownAccount {
  userId: string;
  /** As it was then: a revocation of all sessions since makes the entry void. */
  epoch: number;
  /** MAC of the address, which the browser need not know; empty for an account without one. */
  address: string;
  expiresAt: number;
}

export interface DeviceToken {
  token: string;
  expiresAt: Date;
}

const purpose = 'known_device';
const ttlMs = 90 * 24 * 60 * 60_000;
const mostAccounts = 4;

export class KnownDevices {
  constructor(
    private readonly keys: Keyring,
    private readonly clock: Clock,
  ) {}

  /** Returns the token of a browser after a sign-in. It remembers the accounts of the token before it, four at most. */
  remember(
    previous: string | undefined,
    { userId, epoch, email }: { userId: string; epoch: number; email: string | null },
  ): DeviceToken {
    const expiresAt = this.clock() + ttlMs;
    const [address = ''] = email === null ? [] : this.macsOf(email);
    const others = this.accounts(previous).filter((account) => account.userId !== userId);
    const accounts = [...others, { userId, epoch, address, expiresAt }].slice(-mostAccounts);
    const { token } = signToken(this.keys, purpose, JSON.stringify(accounts), expiresAt);
    return { token, expiresAt: new Date(expiresAt) };
  }

  /**
   * Returns whether one of the token's accounts is the one that `find` resolves, and has not been signed out everywhere since.
   * @param address only accounts with this address are considered, any if null. `find` is not called if there is none.
   */
  async isKnown(
    token: string | undefined,
    address: string | null,
    find: () => Promise<{ id: string; epoch: number } | null>,
  ): Promise<boolean> {
    const macs = address === null ? null : this.macsOf(address);
    const accounts = this.accounts(token).filter(
      (account) => macs?.some((each) => constantTimeEqual(each, account.address)) ?? true,
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

  /** Under every secret, the signing one first. */
  private macsOf(address: string): string[] {
    return this.keys
      .subkeys(purpose)
      .map((key) => mac(key, 'address', address).subarray(0, 16).toString('base64url'));
  }
}
