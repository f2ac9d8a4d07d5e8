/** The user on whose behalf an application calls a method, and the checks of such calls. */
import * as z from 'zod';
import { mustBeVerified } from '../../domain/org-invite.js';
import type { StoredUser } from '../../domain/user.js';
import { isUuid } from '../../domain/uuid.js';
import { TokenInvalidError } from '../../errors/catalog.js';
import { because } from '../../errors/reasons.js';
import type { OrgActor, OrgRepository } from '../../storage/org-repository.js';
import { parseInput } from '../support/input.js';
import { lazily } from '../../runtime/load.js';

export const actorInput = lazily(
  () =>
    z.object({
      actingUserId: z.string(),
      sessionEpoch: z.int().optional(),
    }) satisfies z.ZodType<Actor>,
);

/** The epoch alone: an invalid one must not be ignored. */
export const sessionInput = lazily(() => actorInput().pick({ sessionEpoch: true }));

/** The user on whose behalf a method is called. Without an actor the system is the caller, and no permissions are checked. */
export interface Actor {
  actingUserId: string;
  /**
   * Epoch of the user when the session was checked. If all sessions have ended since then, a call that changes an organization or an
   * API key is refused. Calls that only read data, or only revoke a session or a refresh family, ignore the epoch.
   */
  sessionEpoch?: number | undefined;
}

/**
 * Returns the actor of a call, or an empty object for the system.
 * @throws InvalidRequestError if `actingUserId` is not a string: a missing user (`req.user?.id`) must not become the system.
 */
export function parseActing(acting: unknown): Partial<Actor> {
  return acting === undefined ? {} : parseInput(actorInput, acting);
}

/**
 * Returns the actor for the storage to check, or undefined for the system. The epoch is checked after `decide`, so that the error
 * reveals nothing to a user who is not a member. @throws InvalidRequestError
 */
export function parseActor<Subject = void>(
  acting: unknown,
  decide: OrgActor<Subject>['decide'],
): OrgActor<Subject> | undefined {
  const { actingUserId, ...session } = parseActing(acting);
  if (actingUserId === undefined) return undefined;
  return {
    userId: actingUserId,
    decide(role, user, subject) {
      decide(role, user, subject);
      mustHaveEpoch(user?.epoch, session);
    },
  };
}

/** @throws TokenInvalidError if an epoch was given and the user has another one: all sessions have ended since it was read. */
export function mustHaveEpoch(
  current: number | null | undefined,
  { sessionEpoch }: { sessionEpoch?: number },
): void {
  if (sessionEpoch !== undefined && current !== sessionEpoch)
    throw new TokenInvalidError(because('epoch_passed'));
}

/**
 * Checks the acting user, as read under the storage's lock.
 * @throws TokenInvalidError if the user was deleted, or all sessions have ended since the epoch was read; EmailUnverifiedError if
 * the address is unverified and `allowUnverified` is false.
 */
export function mustStillAct(
  user: Pick<StoredUser, 'email' | 'emailVerified' | 'epoch'> | null,
  session: { sessionEpoch?: number },
  allowUnverified: boolean,
): void {
  if (!user) throw new TokenInvalidError(because('user_deleted'));
  mustHaveEpoch(user.epoch, session);
  if (!allowUnverified) mustBeVerified(user);
}

/**
 * Returns the id of an organization, which an acting user may also name by its slug. A slug never has the form of an id. The
 * system names organizations by id only. A value that is not a string becomes an id that no organization has.
 */
export async function orgIdOf(
  orgs: OrgRepository | undefined,
  idOrSlug: unknown,
  acting: unknown,
): Promise<string> {
  if (typeof idOrSlug !== 'string') return '';
  if (acting === undefined || isUuid(idOrSlug)) return idOrSlug;
  return (await orgs?.findBySlug(idOrSlug))?.id ?? idOrSlug;
}
