/**
 * Browsers in which a user need not repeat the second step (docs/decisions/trusted-browsers.md). The cookie of such a browser replaces
 * the second factor only: it is looked up after the first factor has been proven, and is worth nothing without it.
 */
import { constantTimeEqual, sha256 } from '../../crypto/digest.js';
import { randomToken, uuidV7 } from '../../crypto/random.js';
import type { DeviceInfo } from '../../domain/session.js';
import type { StoredUser } from '../../domain/user.js';
import type { StorageAdapter } from '../../storage/adapter.js';
import { capability } from '../support/capability.js';
import type { Clock } from '../support/clock.js';
import type { Changes } from '../support/changes.js';
import type { TrustedBrowserRepository } from '../../storage/second-factor-repositories.js';

/** What the browser keeps. The token is a secret, and contains one part for each user who trusts the browser. */
export interface TrustToken {
  token: string;
  expiresAt: Date;
}

/** Family members share a browser. */
const maxUsers = 4;
const separator = '.';

export class TrustedBrowsers {
  readonly repository: TrustedBrowserRepository;

  constructor(
    storage: StorageAdapter,
    private readonly clock: Clock,
    private readonly changes: Changes,
    private readonly ttlMs: number,
  ) {
    this.repository = capability(storage, 'trustedBrowsers');
  }

  /**
   * Returns the id of the browser with this token, null unless the user trusts it. One query, or none without a token.
   * @param user as read before the first factor was checked.
   */
  async find({ id, epoch }: StoredUser, token: unknown): Promise<string | null> {
    const hashes = secretsOf(token).map((secret) => sha256(secret));
    if (hashes.length === 0) return null;
    return this.repository.use(id, epoch, hashes, new Date(this.clock()));
  }

  /** Ends the trust in one browser of a user. Ignores one that is unknown, or not trusted any more. */
  async revoke(userId: string, id: string): Promise<void> {
    await this.changes.commit(
      () => this.repository.revoke(userId, id),
      (isRevoked) => (isRevoked ? [['trusted_browser.revoked', { userId, trustedBrowserId: id }]] : []),
    );
  }

  /** Ends the trust in every browser of a user. */
  async revokeAll(userId: string): Promise<void> {
    await this.changes.commit(
      () => this.repository.revokeAll(userId),
      (revoked) => (revoked > 0 ? [['trusted_browser.all_revoked', { userId }]] : []),
    );
  }

  /**
   * Trusts the browser from now on.
   * @param previous the token that it has. The parts of other users stay valid.
   * @param credentialId the passkey that was the second factor, if any.
   * @returns its id and its new token. Null if all sessions of the user were revoked in the meantime, or the passkey was removed.
   */
  async trust(
    { id: userId, epoch }: StoredUser,
    device: DeviceInfo,
    previous: unknown,
    credentialId: string | undefined,
  ): Promise<{ id: string; trust: TrustToken } | null> {
    const now = this.clock();
    const expiresAt = new Date(now + this.ttlMs);
    const secret = randomToken();
    const secrets = secretsOf(previous);
    const createdAt = new Date(now);
    const secretHash = sha256(secret);
    const browser = {
      id: uuidV7(now),
      userId,
      epoch,
      secretHash,
      device,
      createdAt,
      lastUsedAt: null,
      expiresAt,
    };
    const previousHashes = secrets.map((each) => sha256(each));
    const inserted = await this.changes.commit(
      () => this.repository.insert(browser, previousHashes, credentialId),
      (added) => (added ? [['trusted_browser.added', { userId, trustedBrowserId: added.id }]] : []),
    );
    if (!inserted) return null;
    const { id, replaced } = inserted;
    const others = secrets.filter((each) => !replaced.includes(sha256(each)));
    const token = [...others, secret].slice(-maxUsers).join(separator);
    return { id, trust: { token, expiresAt } };
  }
}

/** Returns the secrets in a token; none if it is malformed. */
function secretsOf(token: unknown): string[] {
  if (typeof token !== 'string' || token.length > 400) return [];
  return token
    .split(separator)
    .filter((secret) => /^[\w-]{43}$/.test(secret))
    .slice(-maxUsers);
}

/** Returns which of the browsers has the token, for the list. */
export function hasToken({ secretHash }: { secretHash: string }, token: unknown): boolean {
  return secretsOf(token).some((secret) => constantTimeEqual(sha256(secret), secretHash));
}
