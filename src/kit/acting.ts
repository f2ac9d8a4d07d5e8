/** Who asks for a change of an organisation. */
import { InvalidRequestError } from '../errors/catalog.js';
import type { OrgActor } from '../storage/org-repository.js';

/** On whose behalf something of an organisation changes. Without it, the system does, and only what cannot be is refused. */
export interface Acting {
  actingUserId: string;
}

/** Fails closed: an actor who is not signed in (`req.user?.id`) must not become the system. @throws InvalidRequestError */
export function parseActing(acting: unknown): Partial<Acting> {
  if (acting === undefined) return {};
  const { actingUserId } = (acting ?? {}) as Record<string, unknown>;
  if (typeof actingUserId !== 'string') throw new InvalidRequestError('actingUserId must be a string.');
  return { actingUserId };
}

/** The actor as the storage asks them; undefined is the system. @throws InvalidRequestError */
export function actorOf<About = void>(
  acting: unknown,
  decide: OrgActor<About>['decide'],
): OrgActor<About> | undefined {
  const { actingUserId } = parseActing(acting);
  return actingUserId === undefined ? undefined : { userId: actingUserId, decide };
}
