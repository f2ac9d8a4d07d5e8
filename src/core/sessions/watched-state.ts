/** Whether the session of an open socket is still valid, as the storage has it now: the rules of session-checks.ts, without the expiry of the token. */
import type { SessionClaims } from '../../crypto/session-jwt.js';
import type { RefreshFamily } from '../../domain/refresh-family.js';
import type { ServiceSession } from '../../domain/session.js';
import { isInForce } from '../../domain/user-block.js';
import type { StoredUser } from '../../domain/user.js';
import type { StorageAdapter } from '../../storage/adapter.js';
import { unboundUntil } from './session-checks.js';
import { isOfEpoch } from './session-tokens.js';

/**
 * Why a watched session has ended:
 * - `session_revoked`: a sign-out, or the revocation of this session.
 * - `epoch_passed`: all sessions of the user were revoked, such as by a changed password or a lockdown.
 * - `user_blocked`, `user_deleted`.
 * - `session_expired`: its lifetime has passed.
 * - `email_unverified`: the grace time of `emailPassword.verifyEmail` has passed.
 * - `service_closed`: `service.close()` was called, and no one watches the session any more.
 */
export type SessionEndReason =
  | 'session_revoked'
  | 'epoch_passed'
  | 'user_blocked'
  | 'user_deleted'
  | 'session_expired'
  | 'email_unverified'
  | 'service_closed';

/** When the session ends unless it is renewed, in milliseconds since the epoch. */
export type WatchedState = { endedBy: SessionEndReason } | { endsAt: number };

export interface WatchRules {
  /** How long an account may have an unverified address; null for any time. */
  unverifiedGraceMs: number | null;
  now: number;
}

interface Rows {
  user: StoredUser;
  row: ServiceSession | RefreshFamily | null;
  /** The administrator of an impersonation. */
  admin?: StoredUser;
}

/** Reads the state with one query, which the adapter combines with those of other sessions. */
export async function readWatchedState(
  storage: StorageAdapter,
  claims: SessionClaims,
  rules: WatchRules,
): Promise<WatchedState> {
  const rows = await find(storage, claims);
  // Deleting a user deletes the sessions. A session that has ended long ago is purged.
  if (!rows)
    return { endedBy: (await storage.users.findById(claims.sub)) ? 'session_revoked' : 'user_deleted' };
  return stateOf(claims, rows, rules);
}

async function find(storage: StorageAdapter, claims: SessionClaims): Promise<Rows | null> {
  const { act, actSid, fid, sid, sub } = claims;
  if (sid !== undefined) {
    const found = await storage.sessions.findWithUser(sid);
    return found && { user: found.user, row: found.session };
  }
  if (fid !== undefined) {
    const found = await storage.refreshFamilies?.findWithUser(fid);
    return found ? { user: found.user, row: found.family } : null;
  }
  if (actSid !== undefined) {
    const found = await storage.sessions.findWithTarget(actSid, sub);
    return found && { user: found.target, row: found.session, admin: found.user };
  }
  const [user, admin] = await Promise.all([
    storage.users.findById(sub),
    act && storage.users.findById(act.sub),
  ]);
  if (!user || (act && !admin)) return null;
  return { user, row: null, ...(admin && { admin }) };
}

function stateOf(claims: SessionClaims, { user, row, admin }: Rows, rules: WatchRules): WatchedState {
  const { now } = rules;
  const owner = claims.actSid !== undefined ? claims.act?.sub : claims.sub;
  if (row && row.userId !== owner) return { endedBy: 'session_revoked' };
  if (isInForce(user.blocked, now)) return { endedBy: 'user_blocked' };
  if (!isOfEpoch(claims, user) || (admin && admin.epoch !== claims.actEpoch))
    return { endedBy: 'epoch_passed' };
  if (row && row.revokedAt !== null) return { endedBy: 'session_revoked' };
  const endsAt = endOf(claims, row);
  if (now >= endsAt) return { endedBy: 'session_expired' };
  const mustVerifyAt = verificationEnd(user, rules.unverifiedGraceMs);
  if (now >= mustVerifyAt) return { endedBy: 'email_unverified' };
  return { endsAt: Math.min(endsAt, mustVerifyAt) };
}

/**
 * A session and a refresh family outlive their tokens, which are renewed. A token without a row ends itself, and so does that of a bound
 * session, and one from before the session was bound: a copy of them must not keep a socket open.
 */
export function endOf({ bound, exp, fid, sid }: SessionClaims, row: Rows['row']): number {
  const rowEnd = row ? row.expiresAt.getTime() : Infinity;
  if (bound || (sid === undefined && fid === undefined)) return Math.min(rowEnd, exp * 1000);
  const boundAt = row && 'boundAt' in row ? row.boundAt : null;
  return boundAt === null ? rowEnd : Math.min(rowEnd, unboundUntil(boundAt));
}

/**
 * Returns when guards begin to refuse the user because the address is unverified. Users without an address, such as those of a phone
 * number, have none to verify.
 * @param graceMs null if an unverified address is not refused.
 */
export function verificationEnd(
  { createdAt, email, emailVerified }: Pick<StoredUser, 'createdAt' | 'email' | 'emailVerified'>,
  graceMs: number | null,
): number {
  return graceMs === null || email === null || emailVerified ? Infinity : createdAt.getTime() + graceMs;
}
