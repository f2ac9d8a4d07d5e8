/** Who revokes an API key, and whose key it must be. */
import * as z from 'zod';
import { mustBe } from '../../domain/org.js';
import type { StoredUser } from '../../domain/user.js';
import { actorInput, type Actor, mustHaveEpoch, orgIdOf, parseActor } from '../../core/sessions/actor.js';
import { parseOwnedRecordChange } from '../../core/sessions/change-by.js';
import { existingUser } from '../../core/sessions/existing-user.js';
import type { EventActor } from '../../core/support/events.js';
import { parseInput } from '../../core/support/input.js';
import type { StorageAdapter } from '../../storage/adapter.js';
import type { ApiKeyRepository } from '../../storage/pro-repositories.js';
import { lazily } from '../../runtime/load.js';

// An organization that was meant and is missing must not become the user: `orgId` is absent, or a string.
const revocation = lazily(
  () => actorInput().extend({ orgId: z.string().exactOptional() }) satisfies z.ZodType<ApiKeyRevocation>,
);
/** The user who revokes a key. With `orgId`, a key of this organization (id or slug); without it, one of the user's own. */
export interface ApiKeyRevocation extends Actor {
  orgId?: string;
}

interface Revoker {
  /** The administrator, for the event. */
  actor?: EventActor;
  /** The acting user, for the audit log. */
  actingUserId?: string;
  /** Absent: any key. */
  of?: Parameters<ApiKeyRepository['revoke']>[2];
}

/** @throws InvalidRequestError; UserNotFoundError for an administrator's call about an unknown user. */
export async function revokerOf({ orgs, users }: StorageAdapter, by: unknown): Promise<Revoker> {
  if (by === undefined) return {};
  const change = parseOwnedRecordChange(by);
  if (change) {
    const { id } = await existingUser(users, change.userId);
    return { actor: change.actor, of: { userId: id, ...(change.acting && { by: change.acting }) } };
  }
  const { orgId, ...acting } = parseInput(revocation, by);
  const actor = parseActor(acting, (role) => mustBe('admin', role));
  const { actingUserId } = acting;
  if (!actor || orgId === undefined)
    return { actingUserId, of: { userId: actingUserId, ...ownDecision(acting) } };
  return { actingUserId, of: { orgId: await orgIdOf(orgs, orgId, acting), actor } };
}

/** Only a call with an epoch needs the lock on the user under which it is compared. */
function ownDecision({ sessionEpoch }: { sessionEpoch?: number }) {
  if (sessionEpoch === undefined) return {};
  return { decide: (user: StoredUser | null) => mustHaveEpoch(user?.epoch, { sessionEpoch }) };
}
