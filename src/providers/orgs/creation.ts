/** New organizations. */
import * as z from 'zod';
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
import { because } from '../../errors/reasons.js';
import { parseActing, type Actor } from '../../core/sessions/actor.js';
import { existingUser } from '../../core/sessions/existing-user.js';
import { newOrgLimits } from '../../core/limits/rate-limits.js';
import { parseInput } from '../../core/support/input.js';
import { metadataInput, unchecked, userIdInput } from '../../core/support/input-types.js';
import type { OrgRepository } from '../../storage/org-repository.js';
import type { UserRepository } from '../../storage/repositories.js';
import type { OrgsOptions, OrgTools } from './options.js';
import { lazily } from '../../runtime/load.js';

export const newOrg = lazily(() =>
  z.object({
    name: z.string(),
    slug: z.string().optional(),
    ownerUserId: unchecked<string>(),
    metadata: metadataInput(),
  }),
);
export type NewOrg = z.infer<ReturnType<typeof newOrg>>;

export async function createOrg(
  orgs: OrgRepository,
  { allowUnverified, create }: OrgsOptions,
  { clock, events, limiter, storage }: OrgTools,
  input: NewOrg,
  acting?: Actor,
): Promise<{ org: Org; membership: OrgMembership }> {
  input = parseInput(newOrg, input);
  const name = parseName(input.name);
  const metadata = parseMetadata(input.metadata);
  const slugs = input.slug === undefined ? candidates(slugOf(name)) : [parseSlug(input.slug)];
  const userId = parseInput(userIdInput, input.ownerUserId);
  if (parseActing(acting).actingUserId !== undefined) await requireCreator(storage.users, userId, create);
  const { sessionEpoch } = await admit(limiter, userId, acting);
  const now = new Date(clock());
  const id = uuidV7(clock());
  const membership: OrgMembership = { orgId: id, userId, role: 'owner', createdAt: now };
  for (const slug of slugs) {
    const org: Org = { id, name, slug, metadata, createdAt: now, updatedAt: now };
    const outcome = await orgs.create(org, membership, { verified: !allowUnverified, epoch: sessionEpoch });
    if (outcome === 'slug_taken') continue;
    if (outcome !== 'created') throw refusal(outcome);
    events.emit('org.created', { orgId: id, userId });
    events.emit('org.member_added', { orgId: id, userId, role: membership.role });
    return { org, membership };
  }
  throw new OrgError('This slug is taken.');
}

async function admit(limiter: OrgTools['limiter'], ownerUserId: string, acting: Actor | undefined) {
  const { actingUserId, sessionEpoch } = parseActing(acting);
  if (actingUserId === undefined) return {};
  if (actingUserId !== ownerUserId) throw new NotAuthorizedError(because('other_user'));
  // Without a refund: a refusal reveals that a slug is taken, and no user is to learn that of many.
  await limiter.consume(newOrgLimits(actingUserId));
  return { sessionEpoch };
}

/** @throws NotAuthorizedError unless the user may create organizations; UserNotFoundError. */
async function requireCreator(
  users: UserRepository,
  userId: string,
  create: OrgsOptions['create'],
): Promise<void> {
  if (create === true) return;
  const { roles } = create === false ? { roles: [] } : await existingUser(users, userId);
  if (!isCreator(roles, create)) throw new NotAuthorizedError(because('org_creation_refused'));
}

/** Returns whether the option `orgs.create` lets a user with these roles create organizations. */
export function isCreator(roles: readonly string[], create: OrgsOptions['create']): boolean {
  if (typeof create === 'boolean') return create;
  return roles.some((role) => create === 'roles' || create.includes(role));
}

function refusal(outcome: 'no_user' | 'guest' | 'epoch_moved' | 'unverified') {
  if (outcome === 'no_user') return new UserNotFoundError();
  if (outcome === 'guest') return new NotAuthorizedError(because('guest'));
  return outcome === 'unverified'
    ? new EmailUnverifiedError()
    : new TokenInvalidError(because('epoch_passed'));
}

/** A slug that is made from a name may be taken: then it gets a number. */
function candidates(slug: string): string[] {
  return [slug, `${slug}-${randomDigits(4)}`, `${slug}-${randomDigits(8)}`];
}
