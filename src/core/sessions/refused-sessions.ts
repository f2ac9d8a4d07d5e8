/** Reports the event `session.refused`: a request has presented a token of this service after its session had ended. */
import type { SessionClaims } from '../../crypto/session-jwt.js';
import type { Reason } from '../../errors/reasons.js';
import { BoundedMap } from '../support/bounded-map.js';
import type { Clock } from '../support/clock.js';
import type { EventBus } from '../support/events.js';

/** Why the session of an authentic token is refused. */
export type SessionReason = Extract<
  Reason,
  | 'session_revoked'
  | 'session_expired'
  | 'session_unknown'
  | 'epoch_passed'
  | 'user_blocked'
  | 'user_deleted'
  | 'impersonator_signed_out'
>;

export type ReportRefused = (claims: SessionClaims, reason: SessionReason) => void;

// A browser with an old cookie sends it with every request.
const silenceMs = 60_000;
const maxReported = 10_000;

/**
 * Returns a function that emits the event at most once per session and minute in this process. Its claims have a valid signature, so a
 * flood of forged tokens emits nothing.
 */
export function refusedSessions(events: EventBus, clock: Clock): ReportRefused {
  const reportedAt = new BoundedMap<string, number>(maxReported);
  return ({ sub: userId, sid, fid, actSid }, reason) => {
    const id = sid ?? fid ?? actSid ?? userId;
    const now = clock();
    const last = reportedAt.get(id);
    // Also if the clock was set back.
    if (last !== undefined && Math.abs(now - last) < silenceMs) return;
    reportedAt.set(id, now);
    events.emit('session.refused', { userId, ...(sid !== undefined && { sessionId: sid }), reason });
  };
}
