/** Password attempts: counted before they are evaluated, or parallel attempts would all be evaluated; every attempt has the same cost. */
import type { StoredUser } from '../../domain/user.js';
import { loginPairLimits, type RateLimit } from '../../core/limits/rate-limits.js';
import type { Correction } from '../../core/limits/consumed-limits.js';
import { queueClientOf, type QueueClient } from '../../core/queues/fair-queue.js';
import type { Spending } from '../../core/limits/limiter.js';
import { describeError } from '../../core/support/logger.js';
import type { PasswordPlace, PasswordVerifier } from '../../core/passwords/password-verifier.js';
import { isStorablePassword } from '../../core/passwords/password-policy.js';
import type { ImportRecord } from '../../storage/import-repository.js';
import type { LegacyQuery } from '../../domain/legacy-query.js';
import type { RequestContext } from '../../core/sessions/request-context.js';
import type { EmailPasswordTools } from './options.js';

/** A password that was evaluated. The caller ends the guess, after what follows it. */
export interface PasswordGuess {
  /** The user if the password is theirs, otherwise null. As read before the check: a reset since then makes what follows invalid. */
  user: StoredUser | null;
  /** The user of a wrong password, for the event of the failure. Undefined if the address has no account. */
  attemptedId?: string | undefined;
  /** Refunds the limits of a right password, and resets those of its client. A session that follows makes it in the same query. */
  correction?: Correction;
  /** Lets the next guess of the client have its turn. */
  end(): Promise<void>;
}

export class PasswordGuesses {
  constructor(
    private readonly passwords: PasswordVerifier,
    private readonly tools: Pick<
      EmailPasswordTools,
      'accountLimits' | 'legacyUsers' | 'limiter' | 'logger' | 'storage'
    >,
  ) {}

  /**
   * Counts and evaluates a password. Sign-in and password change share one limit, or the second would allow more attempts at the first.
   * @param subject the address, or what else the limits count for.
   * @param owner the user, or null for none, if the caller has read it. By default, the user with this address is read with the limits.
   * @param query of a login: the user may be in another system only.
   * @throws RateLimitError.
   */
  async check(
    subject: string,
    password: string,
    context: RequestContext,
    owner?: { user: StoredUser | null },
    query?: LegacyQuery,
  ): Promise<PasswordGuess> {
    const { accountLimits, limiter } = this.tools;
    const { ip } = context;
    const { rateLimits, isKnownDevice } = await accountLimits.forLogin(subject, context, owner);
    const turn = await limiter.turn(`login ${subject} ${ip}`);
    let correction: Correction | undefined;
    const end = async () => {
      try {
        await correction?.make();
      } finally {
        turn.end();
      }
    };
    try {
      const client = queueClientOf(ip, isKnownDevice);
      const { user, spent, attemptedId } = await this.evaluate(
        subject,
        password,
        rateLimits,
        client,
        owner,
        query,
      );
      if (!user) return { user, attemptedId, end };
      correction = spent.correction(rateLimits.filter(({ name }) => loginPairLimits.includes(name)));
      return { user, correction, end };
    } catch (error) {
      turn.end();
      throw error;
    }
  }

  private async evaluate(
    subject: string,
    password: string,
    rateLimits: readonly RateLimit[],
    client: QueueClient,
    owner: { user: StoredUser | null } | undefined,
    query: LegacyQuery | undefined,
  ): Promise<Spending & Pick<PasswordGuess, 'attemptedId'>> {
    const { legacyUsers, limiter } = this.tools;
    // After the turn: attempts that wait for each other must not fill the queue that all clients share.
    let place = this.passwords.enter(client);
    try {
      // Counted before it waits: a client that has reached its limit occupies no slot of the queue.
      const { spent, user } = owner
        ? { spent: await limiter.consume(rateLimits), ...owner }
        : await limiter.consumeAndFindUser(rateLimits, subject);
      try {
        let record: ImportRecord | null = null;
        if (query && legacyUsers.isConfigured) {
          // Asked for every login, or the time would reveal who has an account here. A slow answer must not keep others from the queue.
          place.leave();
          record = await legacyUsers.find(query);
          place = this.passwords.enter(client);
        }
        await place.turn();
        // A password that cannot have been set is compared with the decoy, as for an unknown user.
        const isStorable = isStorablePassword(password);
        const known = user ?? record?.user;
        const hash = isStorable ? (known?.passwordHash ?? null) : null;
        const isRight = await place.verifyPassword(isStorable ? password : '', hash);
        if (!isRight && hash !== null) this.reportUnknownFormat(user, hash);
        if (isRight && !user && record && query)
          return { spent, user: await this.importUser(record, query, password, place) };
        const rightUser = isRight && user ? await this.withRenewedHash(user, password, place) : null;
        return { spent, user: rightUser, attemptedId: user?.id };
      } catch (error) {
        // Nothing was compared: a failure or a lost place is not a guess. A wrong password does not throw.
        await spent.refund();
        throw error;
      }
    } finally {
      place.leave();
    }
  }

  /**
   * Imports the user of a right password. Null if that is not possible, or if the account has another password: it was imported earlier,
   * and has changed since.
   */
  private async importUser(
    record: ImportRecord,
    query: LegacyQuery,
    password: string,
    place: PasswordPlace,
  ): Promise<StoredUser | null> {
    const user = await this.tools.legacyUsers.import(record, query);
    if (!user) return null;
    const isSame = user.passwordHash === record.user.passwordHash;
    if (!isSame && !(await place.verifyPassword(password, user.passwordHash))) return null;
    return this.withRenewedHash(user, password, place);
  }

  /** A hash that another system stored is otherwise a wrong password without a reason. */
  private reportUnknownFormat(user: StoredUser | null, hash: string): void {
    if (this.passwords.recognizes(hash)) return;
    this.tools.logger.error(
      { event: 'password_hash_unknown', userId: user?.id },
      'a stored password hash has a format that the hasher does not know: no password matches it',
    );
  }

  /** Returns the user with a hash of the configured cost. A failed rehash is logged and retried at the next sign-in. */
  private async withRenewedHash(
    user: StoredUser,
    password: string,
    place: PasswordPlace,
  ): Promise<StoredUser> {
    const { logger, storage } = this.tools;
    const { id, passwordHash: fromHash } = user;
    if (fromHash === null || !this.passwords.needsRehash(fromHash, password)) return user;
    try {
      const passwordHash = await place.hashPassword(password);
      if (await storage.users.renewPasswordHash(id, fromHash, passwordHash)) return { ...user, passwordHash };
      // Another sign-in has renewed it. A changed password moves the epoch: what follows then compares with the hash that was read.
      const current = await storage.users.findById(id);
      const renewed = current?.epoch === user.epoch ? current.passwordHash : null;
      return { ...user, passwordHash: renewed ?? fromHash };
    } catch (error) {
      logger.warn({ err: describeError(error), userId: id }, 'a password hash could not be renewed');
      return user;
    }
  }
}
