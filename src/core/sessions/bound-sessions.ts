/**
 * Bound sessions (`session.bound`, docs/bound-sessions.md): the browser keeps a key, and proves with it that the cookie of its session may
 * be replaced. What the storage contains is public: nothing of it makes a proof.
 */
import { constantTimeEqual, sha256 } from '../../crypto/digest.js';
import type { Keyring } from '../../crypto/keys.js';
import { openToken, signToken } from '../../crypto/signed-token.js';
import type { SessionClaims } from '../../crypto/session-claims.js';
import type { BindingKey } from '../../domain/session-binding.js';
import type { ServiceSession } from '../../domain/session.js';
import { anybody } from '../../domain/single-use-token.js';
import { isInForce } from '../../domain/user-block.js';
import type { StoredUser } from '../../domain/user.js';
import { TokenInvalidError } from '../../errors/catalog.js';
import { because } from '../../errors/reasons.js';
import type { StorageAdapter } from '../../storage/adapter.js';
import type { SessionBindingRepository } from '../../storage/session-binding-repository.js';
import type { Changes } from '../support/changes.js';
import type { Clock } from '../support/clock.js';
import type { Logger } from '../support/logger.js';
import { isSignedWith, keyOfRegistration, readChallenge } from './bound-proofs.js';
import { signInFacts, type SignInFacts } from './session-tokens.js';
import type { IssuedSession, Sessions } from './sessions.js';

/** A session whose cookie a proof has replaced. */
export interface ProvenSession {
  /** By which the browser names it. */
  bindingId: string;
  issued: IssuedSession;
  remember: boolean;
}

interface Tools {
  bindings: SessionBindingRepository;
  changes: Changes;
  clock: Clock;
  keys: Keyring;
  logger: Logger;
  sessions: Sessions;
  storage: StorageAdapter;
}

/** A browser registers its key at once. A key in hardware can take some seconds. */
export const registrationMs = 5 * 60_000;
/** A browser answers a challenge at once. */
const challengeMs = 2 * 60_000;

/** The session of a registration, as its challenge contains it. */
interface Registration extends SignInFacts {
  sid: string;
  sub: string;
  epoch: number;
  /** Digest of the secret that the browser has in a cookie. */
  browser: string;
}

export class BoundSessions {
  constructor(
    private readonly tools: Tools,
    /** Where the routes are mounted. */
    readonly path: string,
  ) {}

  /**
   * Returns the challenge with which the browser of a new session may register its key. Null for a token that cannot be bound: it has no
   * session, or is bound. Writes nothing: a session is bound once, so the challenge is used once.
   * @param nonce without which the challenge is worthless: scripts can read the challenge.
   */
  registrationChallenge(claims: SessionClaims | null, nonce: string): string | null {
    const { sid, sub, epoch, bound } = claims ?? {};
    if (!claims || sid === undefined || sub === undefined || epoch === undefined || bound) return null;
    const registration: Registration = {
      sid,
      sub,
      epoch,
      ...signInFacts(claims),
      browser: digestOf(nonce),
    };
    return this.sign(`register ${JSON.stringify(registration)}`, registrationMs);
  }

  /** Returns a challenge for a refresh, whether or not there is such a session: it says nothing, and writes nothing. */
  refreshChallenge(bindingId: string): string {
    return this.sign(`refresh ${bindingId}`, challengeMs);
  }

  /**
   * Binds a session to the key that has signed the registration.
   * @param nonces of the browser.
   * @throws TokenInvalidError if the proof or its challenge is invalid, or of another browser, or the session has ended or is bound already.
   */
  async register(token: string, nonces: readonly string[]): Promise<ProvenSession> {
    const proof = await readChallenge(token);
    const registration = proof && this.registrationOf(proof.challenge);
    if (!proof || !registration || !isOfBrowser(registration, nonces))
      throw new TokenInvalidError(because('session_proof_invalid'));
    const publicKey = await keyOfRegistration(proof);
    if (!publicKey) throw new TokenInvalidError(because('session_proof_invalid'));
    const { sid, sub, epoch, twoFactors, remember } = registration;
    const row = await this.tools.storage.sessions.findWithUser(sid);
    if (row?.session.userId !== sub || row.user.epoch !== epoch || !this.isLive(row))
      throw new TokenInvalidError(because('session_proof_invalid'));
    const key: BindingKey = { ...publicKey, epoch, twoFactors, remember };
    const now = new Date(this.tools.clock());
    // Once: a registration that was recorded cannot be repeated.
    const isBound = await this.tools.changes.commit(
      () => this.tools.bindings.bind(sid, { id: sid, key }, now),
      (hasChanged) => (hasChanged ? [['session.bound', { userId: sub, sessionId: sid }]] : []),
    );
    if (!isBound) throw new TokenInvalidError(because('session_proof_invalid'));
    this.tools.logger.info(
      { event: 'session_bound', userId: sub, algorithm: key.alg },
      'a session was bound to its browser',
    );
    const session: ServiceSession = { ...row.session, boundAt: now };
    const issued = await this.tools.sessions.continueBound(session, row.user, key);
    return { bindingId: sid, issued, remember };
  }

  /**
   * Checks the proof of a refresh, and issues the next token of the session.
   * @returns null if the proof must be made again with another challenge: this one has expired, was used, or belongs to another session.
   * @throws TokenInvalidError if the session has ended, or another key has signed the proof.
   */
  async refresh(bindingId: string, token: string): Promise<ProvenSession | null> {
    const proof = await readChallenge(token);
    if (!proof) throw new TokenInvalidError(because('session_proof_invalid'));
    const { keys, clock, bindings, storage, sessions } = this.tools;
    const challenge = openToken(keys, 'session_binding', proof.challenge, clock());
    if (challenge.status !== 'valid' || challenge.subject !== `refresh ${bindingId}`) return null;
    const found = await bindings.find(bindingId);
    if (!found || !this.isLive(found) || !(await isSignedWith(found.binding.key, token)))
      throw new TokenInvalidError(because('session_proof_invalid'));
    if (found.binding.key.epoch !== found.user.epoch) throw new TokenInvalidError(because('epoch_passed'));
    // After the signature: a challenge that a stranger presents stays unused.
    const isUnused = await storage.singleUseTokens.claim({
      digest: challenge.digest,
      purpose: 'session_binding',
      subject: anybody,
      expiresAt: new Date(challenge.expiresAt),
      metadata: {},
    });
    if (!isUnused) return null;
    const { session, user, binding } = found;
    const issued = await sessions.continueBound(session, user, binding.key);
    return { bindingId, issued, remember: binding.key.remember };
  }

  private isLive({ session, user }: { session: ServiceSession; user: StoredUser }): boolean {
    const now = this.tools.clock();
    return session.revokedAt === null && now < session.expiresAt.getTime() && !isInForce(user.blocked, now);
  }

  private sign(subject: string, lifetimeMs: number): string {
    const { keys, clock } = this.tools;
    return signToken(keys, 'session_binding', subject, clock() + lifetimeMs).token;
  }

  private registrationOf(challenge: string): Registration | null {
    const opened = openToken(this.tools.keys, 'session_binding', challenge, this.tools.clock());
    if (opened.status !== 'valid' || !opened.subject.startsWith('register ')) return null;
    // Signed here, so it is what was signed.
    return JSON.parse(opened.subject.slice('register '.length)) as Registration;
  }
}

const digestOf = (nonce: string) => sha256(`session binding ${nonce}`);

/** Challenges of earlier releases have no digest, and are not accepted. */
function isOfBrowser({ browser }: Partial<Registration>, nonces: readonly string[]): boolean {
  return browser !== undefined && nonces.some((nonce) => constantTimeEqual(digestOf(nonce), browser));
}
