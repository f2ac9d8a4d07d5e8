/** Memberships: changes of them, which the storage decides under a lock by the rules of domain/org.ts, and who sees what of them. */
import {
  atLeast,
  noSuchOrg,
  removeMember,
  type MembershipState,
  type OrgMembership,
  type OrgRole,
} from '../../domain/org.js';
import { NotAuthorizedError, OrgError, UserNotFoundError } from '../../errors/catalog.js';
import type { Toolkit } from '../../kit/toolkit.js';
import type { MemberChange, OrgRepository } from '../../storage/org-repository.js';

type Tools = Pick<Toolkit, 'clock' | 'events' | 'storage'>;

/** As a member sees another one. */
export interface OrgMember extends OrgMembership {
  /** For admins and owners: the address, if it is proven. An unproven one may be anybody's. */
  email?: string | null;
}

export class OrgMembers {
  constructor(
    private readonly orgs: OrgRepository,
    private readonly tools: Tools,
  ) {}

  /** As the actor may see them. */
  async listFor(orgId: string, actingUserId: string): Promise<OrgMember[]> {
    const role = typeof orgId === 'string' ? await this.orgs.roleOf(orgId, actingUserId) : null;
    if (role === null) throw new NotAuthorizedError();
    const members = await this.orgs.listMembers(orgId);
    return atLeast(role, 'admin') ? Promise.all(members.map((each) => this.withAddress(each))) : members;
  }

  /** A new member, or another role of one. */
  async put(
    event: 'org.member_added' | 'org.role_changed',
    change: Omit<MemberChange, 'now'>,
    decide: (state: MembershipState) => OrgRole,
  ): Promise<OrgMembership> {
    const { membership, previousRole } = await this.change(change, decide);
    if (!membership) throw new OrgError();
    const { orgId, userId, role } = membership;
    // Who keeps the role they had has seen no change.
    if (role !== previousRole) this.tools.events.emit(event, { orgId, userId, role });
    return membership;
  }

  private async change(
    change: Omit<MemberChange, 'now'>,
    decide: (state: MembershipState) => OrgRole | null,
  ) {
    if (typeof change.orgId !== 'string') throw noSuchOrg();
    if (typeof change.userId !== 'string') throw new UserNotFoundError();
    const changed = await this.orgs.changeMember({ ...change, now: new Date(this.tools.clock()) }, decide);
    if (changed === 'no_org') throw noSuchOrg();
    if (changed === 'no_user') throw new UserNotFoundError();
    return changed;
  }

  async remove(change: Omit<MemberChange, 'now'>): Promise<void> {
    const { orgId, userId } = change;
    await this.change(change, removeMember);
    this.tools.events.emit('org.member_removed', { orgId, userId });
  }

  private async withAddress(membership: OrgMembership): Promise<OrgMember> {
    const user = await this.tools.storage.users.findById(membership.userId);
    return { ...membership, email: user?.emailVerified ? user.email : null };
  }
}
