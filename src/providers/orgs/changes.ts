/** Changes of an organization itself: its name and its picture. */
import * as z from 'zod';
import { mergeMetadata } from '../../domain/metadata.js';
import { parseName } from '../../domain/name.js';
import { mustBe, noSuchOrg, type Org } from '../../domain/org.js';
import { orgIdOf, parseActor, type Actor } from '../../core/sessions/actor.js';
import { profileLimits } from '../../core/limits/rate-limits.js';
import { parseInput } from '../../core/support/input.js';
import type { OrgRepository } from '../../storage/org-repository.js';
import type { OrgTools } from './options.js';
import { lazily } from '../../runtime/load.js';

/** What is left out stays. The slug always stays, because links contain it. */
export const orgChanges = lazily(() =>
  z.object({ name: z.string().optional(), picture: z.string().nullable().optional() }),
);
export type OrgChanges = z.infer<ReturnType<typeof orgChanges>>;

export async function updateOrg(
  orgs: OrgRepository,
  { changes: committed, clock, limiter, profiles }: OrgTools,
  orgId: string,
  changes: OrgChanges,
  acting?: Actor,
): Promise<Org> {
  const { name, picture } = parseInput(orgChanges, changes);
  const parsed = {
    ...(name !== undefined && { name: parseName(name) }),
    ...(picture !== undefined && { picture: picture === null ? null : profiles.parsePicture(picture) }),
  };
  const actor = parseActor(acting, (role) => mustBe('admin', role));
  if (actor) await limiter.consume(profileLimits(actor.userId));
  const decide = ({ metadata }: Org) => ({
    name: parsed.name,
    ...('picture' in parsed && { metadata: mergeMetadata(metadata, { picture: parsed.picture }) }),
  });
  const id = await orgIdOf(orgs, orgId, acting);
  const org = await committed.commit(
    () => orgs.update(id, new Date(clock()), decide, actor),
    (updated) => (updated ? [['org.updated', { orgId: id, fields: Object.keys(parsed) }]] : []),
    actor?.userId,
  );
  if (!org) throw noSuchOrg();
  return org;
}
