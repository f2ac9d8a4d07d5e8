/** The user for whom an application calls, and the rules of a user's own call. */
import { mustBeVerified } from '../domain/org-invite.js';
import type { StoredUser } from '../domain/user.js';
import { InvalidRequestError, TokenInvalidError } from '../errors/catalog.js';
import type { OrgActor, OrgRepository } from '../storage/org-repository.js';

/** The user on whose behalf a method is called. Without it the system calls, and only what is impossible is refused. */
export interface Acting {
  actingUserId: string;
  /**
   * Epoch of the user when the session was checked. If every session has ended since then, a call that changes an organization or
   * an API key is refused. Calls that only read, or only end a session or a refresh family, ignore it.
   */
  epoch?: number;
}

/** Fails closed: an actor who is not signed in (`req.user?.id`) must not become the system. @throws InvalidRequestError */
export function parseActing(acting: unknown): Partial<Acting> {
  if (acting === undefined) return {};
  const { actingUserId, epoch } = (acting ?? {}) as Record<string, unknown>;
  if (typeof actingUserId !== 'string') throw new InvalidRequestError('actingUserId must be a string.');
  return { actingUserId, ...parseEpoch(epoch) };
}

/** Fails closed: what was meant to be the epoch of a session must not be ignored. @throws InvalidRequestError */
export function parseEpoch(epoch: unknown): { epoch?: number } {
  if (epoch === undefined) return {};
  if (!Number.isInteger(epoch)) throw new InvalidRequestError('epoch must be an integer.');
  return { epoch: epoch as number };
}

/**
 * Returns the actor whom the storage asks, or undefined for the system. The epoch is checked after `decide`: a user who is not a
 * member learns nothing, not even from another error. @throws InvalidRequestError
 */
export function actorOf<About = void>(
  acting: unknown,
  decide: OrgActor<About>['decide'],
): OrgActor<About> | undefined {
  const { actingUserId, ...session } = parseActing(acting);
  if (actingUserId === undefined) return undefined;
  return {
    userId: actingUserId,
    decide(role, user, about) {
      decide(role, user, about);
      mustHaveEpoch(user?.epoch, session);
    },
  };
}

/** @throws TokenInvalidError if an epoch was given and the user no longer has it: every session has ended since it was read. */
export function mustHaveEpoch(current: number | null | undefined, { epoch }: { epoch?: number }): void {
  if (epoch !== undefined && current !== epoch) throw new TokenInvalidError();
}

/**
 * Checks the acting user, as read under the storage's lock.
 * @throws TokenInvalidError if every session has ended since the epoch was read, or the user is gone;
 * EmailUnverifiedError for an unverified address, unless it is allowed.
 */
export function mustStillAct(
  user: Pick<StoredUser, 'email' | 'emailVerified' | 'epoch'> | null,
  session: { epoch?: number },
  allowUnverified: boolean,
): void {
  if (!user) throw new TokenInvalidError();
  mustHaveEpoch(user.epoch, session);
  if (!allowUnverified) mustBeVerified(user);
}

const idPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Returns the id of the organization that an acting user names by its id or its slug. A slug never has the form of an id.
 * The system names organizations by their ids only.
 */
export async function orgIdOf(
  orgs: OrgRepository | undefined,
  idOrSlug: string,
  acting: unknown,
): Promise<string> {
  if (acting === undefined || typeof idOrSlug !== 'string' || idPattern.test(idOrSlug)) return idOrSlug;
  return (await orgs?.findBySlug(idOrSlug))?.id ?? idOrSlug;
}
