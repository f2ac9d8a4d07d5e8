/** Memberships: changes, which the storage decides under a lock by the rules of domain/org.ts, and lists. */
import {
  addMember,
  atLeast,
  changeRole,
  mustBe,
  noSuchOrg,
  removeMember,
  type MembershipState,
  type OrgMembership,
  type OrgRole,
} from '../../domain/org.js';
import { NotAuthorizedError, OrgError, UserNotFoundError } from '../../errors/catalog.js';
import { because } from '../../errors/reasons.js';
import { mustHaveEpoch, orgIdOf, type Actor } from '../../core/sessions/actor.js';
import type { ChangeAuthor } from '../../core/sessions/change-by.js';
import { parseInput } from '../../core/support/input.js';
import { userIdInput } from '../../core/support/input-types.js';
import type { Toolkit } from '../../core/toolkit.js';
import type { ListRange } from '../../storage/list-range.js';
import type { MemberChange, OrgRepository } from '../../storage/org-repository.js';
import type { OrgsOptions } from './options.js';

type Tools = Pick<Toolkit, 'clock' | 'events' | 'profiles'>;

type Change = Omit<MemberChange, 'now' | 'by'> & Partial<Actor> & { by?: ChangeAuthor };
type Rule = (state: MembershipState) => OrgRole | null;

/** A member, as another member sees it. */
export interface OrgMember extends OrgMembership {
  /** The name that the user has chosen, or null. Only for an acting user, as `picture`. */
  name?: string | null;
  /** A URL or path that the application allows (`profiles.pictures`), or null. */
  picture?: string | null;
  /** For admins and owners: the address if it is verified, else null. An unverified address may be another person's. */
  email?: string | null;
}

export class OrgMembers {
  constructor(
    private readonly orgs: OrgRepository,
    private readonly options: Pick<OrgsOptions, 'allowUnverified'>,
    private readonly tools: Tools,
  ) {}

  /** Returns the list that the actor may see. @throws NotAuthorizedError for a user who is not a member. */
  async listFor(orgId: string, actingUserId: string): Promise<(range?: ListRange) => Promise<OrgMember[]>> {
    const role = await this.orgs.roleOf(orgId, actingUserId);
    if (role === null) throw new NotAuthorizedError(because('org_role_missing'));
    const { orgs, tools } = this;
    const seesAddresses = atLeast(role, 'admin');
    return async (range) => {
      const members = await orgs.listMembersWithUsers(orgId, range);
      return members.map(({ email, metadata, ...membership }) => ({
        ...membership,
        ...tools.profiles.ofUser({ metadata }),
        ...(seesAddresses && { email }),
      }));
    };
  }

  /** Adds a member. */
  async add(change: Change, role: OrgRole): Promise<OrgMembership> {
    const { allowUnverified } = this.options;
    const changed = await this.change(change, (state) => addMember(state, role, allowUnverified));
    if (changed === 'no_user') return this.refuseUnknown(change, new UserNotFoundError());
    return this.report('org.member_added', changed);
  }

  /** Changes the role of a member. */
  async setRole(change: Change, role: OrgRole): Promise<OrgMembership> {
    const { allowUnverified } = this.options;
    const decide: Rule = (state) => changeRole(state, role, allowUnverified);
    return this.report('org.role_changed', await this.changeExisting(change, decide));
  }

  async remove(change: Change): Promise<void> {
    const { userId, by } = change;
    const { orgId } = await this.changeExisting(change, removeMember);
    this.tools.events.emit('org.member_removed', { orgId, userId, ...(by && { actor: by.actor }) });
  }

  private report(event: 'org.member_added' | 'org.role_changed', changed: Changed): OrgMembership {
    const { membership, previousRole } = changed;
    if (!membership) throw new OrgError();
    const { orgId, userId, role } = membership;
    // A member who keeps the same role has seen no change.
    if (role !== previousRole) this.tools.events.emit(event, { orgId, userId, role });
    return membership;
  }

  /** A user who is not a member here may be one elsewhere, or may not exist: an actor must not find out which. */
  private async changeExisting(change: Change, decide: Rule) {
    const changed = await this.change(change, decide);
    if (changed !== 'no_user') return changed;
    if (change.actingUserId === undefined) throw new UserNotFoundError();
    return this.refuseUnknown(change, new OrgError('This user is not a member.'));
  }

  /** Throws the error to the system and to admins. Any other actor must not find out that the organization exists. */
  private async refuseUnknown({ orgId, actingUserId }: Change, error: Error): Promise<never> {
    if (actingUserId === undefined) throw error;
    mustBe('admin', await this.orgs.roleOf(await orgIdOf(this.orgs, orgId, actingUserId), actingUserId));
    throw error;
  }

  private async change({ sessionEpoch, by, ...change }: Change, decide: Rule) {
    // A stranger learns nothing about an organization, not even that it exists.
    const noOrg = () =>
      change.actingUserId === undefined ? noSuchOrg() : new NotAuthorizedError(because('org_role_missing'));
    const userId = parseInput(userIdInput, change.userId);
    const orgId = await orgIdOf(this.orgs, change.orgId, change.actingUserId);
    const now = new Date(this.tools.clock());
    const fields = { ...change, orgId, userId, now, ...(by?.acting && { by: by.acting }) };
    const changed = await this.orgs.changeMember(fields, (state) => {
      const role = decide(state);
      // Last, so that a user who is not a member learns nothing from another error.
      mustHaveEpoch(state.actingEpoch, { sessionEpoch });
      return role;
    });
    if (changed === 'no_org') throw noOrg();
    return changed === 'no_user' ? changed : { ...changed, orgId };
  }
}

interface Changed {
  membership: OrgMembership | null;
  previousRole: OrgRole | null;
}
