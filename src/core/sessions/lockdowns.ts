/** Ends every session of all users, of an organization or of a user: `service.lockdown()` (docs/decisions/lockdown.md). */
import * as z from 'zod';
import { InvalidRequestError, OrgError, UserNotFoundError } from '../../errors/catalog.js';
import { lazily } from '../../runtime/load.js';
import type { StorageAdapter } from '../../storage/adapter.js';
import type { LockdownScope } from '../../storage/lockdown-repository.js';
import { capability } from '../support/capability.js';
import type { Clock } from '../support/clock.js';
import type { Changes } from '../support/changes.js';
import { parseInput } from '../support/input.js';
import { parseChangeBy, type UserChangeBy } from './change-by.js';

/** Undefined is refused: an id that is missing by mistake must not mean all users. */
const lockdownInput = lazily(() =>
  z.strictObject({
    /** The members of an organization. */
    orgId: z.string().exactOptional(),
    /** One user. */
    userId: z.string().exactOptional(),
    /** Whether to revoke API keys too. Default false. */
    apiKeys: z.boolean().exactOptional(),
  }),
);

/** Whom a lockdown concerns: all users, without `orgId` and `userId`. */
export type LockdownInput = z.input<ReturnType<typeof lockdownInput>>;

export interface LockdownResult {
  /** How many users it concerned. Null for all users. */
  users: number | null;
}

export class Lockdowns {
  constructor(
    private readonly storage: StorageAdapter,
    private readonly clock: Clock,
    private readonly changes: Changes,
  ) {}

  async start(input: LockdownInput, by?: UserChangeBy): Promise<LockdownResult> {
    const { apiKeys = false, orgId, userId } = parseInput(lockdownInput, input);
    const { actor, acting } = parseChangeBy(by);
    const scope = scopeOf(orgId, userId);
    const change = { scope, now: new Date(this.clock()), apiKeys, by: acting };
    const lockdowns = capability(this.storage, 'lockdowns');
    const result = await this.changes.commit(
      () => lockdowns.start(change),
      (outcome) =>
        outcome === 'not_found'
          ? []
          : [['lockdown.started', { orgId: orgId ?? null, userId: userId ?? null, actor }]],
    );
    if (result === 'not_found') {
      if (userId !== undefined) throw new UserNotFoundError();
      throw new OrgError();
    }
    return result;
  }
}

function scopeOf(orgId: string | undefined, userId: string | undefined): LockdownScope {
  if (orgId !== undefined && userId !== undefined)
    throw new InvalidRequestError('orgId and userId exclude each other.');
  if (orgId !== undefined) return { orgId };
  return userId === undefined ? 'everyone' : { userId };
}
