/** New organizations. */
import { randomDigits, uuidV7 } from '../../crypto/random.js';
import { parseMetadata } from '../../domain/metadata.js';
import { parseName } from '../../domain/name.js';
import { parseSlug, slugOf } from '../../domain/org-slug.js';
import type { Org, OrgMembership } from '../../domain/org.js';
import {
  EmailUnverifiedError,
  NotAuthorizedError,
  OrgError,
  TokenInvalidError,
  UserNotFoundError,
} from '../../errors/catalog.js';
import { parseActing, type Acting } from '../../kit/acting.js';
import { newOrgBudgets } from '../../kit/budgets.js';
import { checkInput } from '../../kit/input.js';
import type { Toolkit } from '../../kit/toolkit.js';
import type { OrgRepository } from '../../storage/org-repository.js';
import type { OrgsOptions } from './options.js';

export interface NewOrg {
  name: string;
  slug?: string;
  ownerUserId: string;
  metadata?: Record<string, unknown>;
}

export class OrgCreation {
  constructor(
    private readonly orgs: OrgRepository,
    private readonly options: Pick<OrgsOptions, 'allowUnverified'>,
    private readonly tools: Pick<Toolkit, 'clock' | 'events' | 'limiter'>,
  ) {}

  async create(input: NewOrg, acting?: Acting): Promise<{ org: Org; membership: OrgMembership }> {
    const { clock, events } = this.tools;
    checkInput(input);
    const name = parseName(input.name);
    const metadata = parseMetadata(input.metadata);
    const slugs = input.slug === undefined ? candidates(slugOf(name)) : [parseSlug(input.slug)];
    if (typeof input.ownerUserId !== 'string') throw new UserNotFoundError();
    const { epoch } = await this.admit(input.ownerUserId, acting);
    const now = new Date(clock());
    const id = uuidV7(clock());
    const membership: OrgMembership = { orgId: id, userId: input.ownerUserId, role: 'owner', createdAt: now };
    for (const slug of slugs) {
      const org: Org = { id, name, slug, metadata, createdAt: now, updatedAt: now };
      const requires = { verified: !this.options.allowUnverified, ...(epoch !== undefined && { epoch }) };
      const outcome = await this.orgs.create(org, membership, requires);
      if (outcome === 'slug_taken') continue;
      if (outcome !== 'created') throw refusal(outcome);
      events.emit('org.created', { orgId: id, userId: membership.userId });
      events.emit('org.member_added', { orgId: id, userId: membership.userId, role: membership.role });
      return { org, membership };
    }
    throw new OrgError('This slug is taken.');
  }

  private async admit(ownerUserId: string, acting: Acting | undefined): Promise<Partial<Acting>> {
    const { actingUserId, epoch } = parseActing(acting);
    if (actingUserId === undefined) return {};
    if (actingUserId !== ownerUserId) throw new NotAuthorizedError();
    // Without a refund: a refusal reveals that a slug is taken, and no user is to learn that of many.
    await this.tools.limiter.charge(newOrgBudgets(actingUserId));
    return { ...(epoch !== undefined && { epoch }) };
  }
}

function refusal(outcome: 'no_user' | 'guest' | 'epoch_moved' | 'unverified') {
  if (outcome === 'no_user') return new UserNotFoundError();
  if (outcome === 'guest') return new NotAuthorizedError();
  return outcome === 'unverified' ? new EmailUnverifiedError() : new TokenInvalidError();
}

/** A slug that is made from a name may be taken: then it gets a number. */
function candidates(slug: string): string[] {
  return [slug, `${slug}-${randomDigits(4)}`, `${slug}-${randomDigits(8)}`];
}
