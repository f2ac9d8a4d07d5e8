/** Who makes an administrative change: for its event and its log entry, and for the storage, which checks an administrator's session again. */
import * as z from 'zod';
import type { StoredUser } from '../../domain/user.js';
import { InvalidRequestError, NotAuthorizedError } from '../../errors/catalog.js';
import { because } from '../../errors/reasons.js';
import type { ActingUser } from '../../storage/acting-user.js';
import type { EventActor } from '../support/events.js';
import { parseInput } from '../support/input.js';
import { mustHaveEpoch } from './actor.js';
import { lazily } from '../../runtime/load.js';

const actor = lazily(() =>
  z.discriminatedUnion('type', [
    z.object({ type: z.literal('user'), id: z.string().min(1).max(128) }),
    z.object({ type: z.literal('system'), id: z.string().min(1).max(128).optional() }),
  ]),
);

/** Undefined is refused, so that a missing actor does not become the system. */
export const changeByFields = lazily(() =>
  z.object({
    actor: actor().exactOptional(),
    /** Epoch of the actor when the session was checked. If all of the actor's sessions have ended since then, the change is refused. */
    sessionEpoch: z.int().exactOptional(),
    /** Roles of the actor when the permission was checked. If they have changed since then, the change is refused. */
    sessionRoles: z.array(z.string()).readonly().exactOptional(),
  }),
);

export const changeByInput = lazily(() => changeByFields().nullish());
/** Who makes a change: the last argument of every write of `service.users`. Absent: the system. */
export type UserChangeBy = z.input<ReturnType<typeof changeByInput>>;

const administrativeInput = lazily(() => changeByFields().extend({ actor: actor() }));
/** Who makes an administrative change of what belongs to a user. */
export type AdministrativeChange = z.input<ReturnType<typeof administrativeInput>>;

const ownedInput = lazily(() => administrativeInput().extend({ userId: z.string() }));
/** As `AdministrativeChange`, with the user to whom the record must belong. */
export type OwnedRecordChange = z.input<ReturnType<typeof ownedInput>>;

export interface ChangeAuthor {
  actor: EventActor;
  /** Checks the actor's session again. Absent if the caller has not passed it. */
  acting?: ActingUser;
}

/** @throws InvalidRequestError if it is malformed. */
export function parseChangeBy(by: unknown): ChangeAuthor {
  return authorOf(parseInput(changeByInput, by) ?? {});
}

/**
 * Returns the author of an administrative change, or undefined if the argument is another one, such as the context of a user's own
 * change. @throws InvalidRequestError if the actor is malformed.
 */
export function parseAdministrative(by: unknown): ChangeAuthor | undefined {
  return isAdministrative(by) ? authorOf(parseInput(administrativeInput, by)) : undefined;
}

/** As `parseAdministrative`, with the owner of the record. */
export function parseOwnedRecordChange(by: unknown): (ChangeAuthor & { userId: string }) | undefined {
  if (!isAdministrative(by)) return undefined;
  const { userId, ...change } = parseInput(ownedInput, by);
  return { userId, ...authorOf(change) };
}

function isAdministrative(by: unknown): by is object {
  return typeof by === 'object' && by !== null && 'actor' in by;
}

function authorOf({
  actor: given,
  sessionEpoch,
  sessionRoles,
}: z.output<ReturnType<typeof changeByFields>>): ChangeAuthor {
  const author: EventActor = given ?? { type: 'system' };
  if (sessionEpoch === undefined && sessionRoles === undefined) return { actor: author };
  if (author.type !== 'user' || author.id === undefined)
    throw new InvalidRequestError('sessionEpoch and sessionRoles require an actor of the type user.');
  return {
    actor: author,
    acting: {
      userId: author.id,
      decide: (user) => {
        mustHaveEpoch(user?.epoch, { sessionEpoch });
        mustHaveRoles(user, sessionRoles);
      },
    },
  };
}

function mustHaveRoles(user: StoredUser | null, roles: readonly string[] | undefined): void {
  if (roles === undefined) return;
  const current = [...(user?.roles ?? [])].sort();
  const isSame =
    current.length === roles.length && [...roles].sort().every((role, index) => role === current[index]);
  if (!isSame) throw new NotAuthorizedError(because('permission'));
}
