/** Optional repository of the keys to which sessions are bound (`session.bound`). */
import type { BindingKey, SessionBinding } from '../domain/session-binding.js';
import type { ServiceSession } from '../domain/session.js';
import type { StoredUser } from '../domain/user.js';

export interface BoundSession {
  session: ServiceSession;
  user: StoredUser;
  binding: SessionBinding;
}

export interface SessionBindingRepository {
  /**
   * Binds an active session: stores the key and sets `boundAt`. False if the session is revoked, expired, already bound or does not exist.
   * One of several parallel calls returns true.
   */
  bind(sessionId: string, binding: SessionBinding, now: Date): Promise<boolean>;
  /**
   * Binds an active session as another one of the same user is bound, which may have ended: with the same id and public key, and `facts`
   * about the sign-in. False if the other one is not bound, or if `bind` would return false.
   */
  inherit(
    fromId: string,
    toId: string,
    facts: Pick<BindingKey, 'epoch' | 'twoFactors' | 'remember'>,
    now: Date,
  ): Promise<boolean>;
  /** Returns the session of a binding that is not revoked, with its user. An expired session is returned too. Null without one. */
  find(bindingId: string): Promise<BoundSession | null>;
}
