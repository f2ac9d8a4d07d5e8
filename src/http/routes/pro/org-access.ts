/** Who may see an organisation at all. */
import type { Org, OrgRole } from '../../../domain/org.js';
import type { Service } from '../../../engine/service.js';
import { NotAuthorizedError } from '../../../errors/catalog.js';

/**
 * The organisation of an id or a slug, for who holds at least `min` in it.
 * @throws NotAuthorizedError for everybody else, also where there is none: who is no member learns nothing. By its id
 * both ask the storage as much. A slug that exists is found by another path than one that does not, which time may tell; its being taken
 * is told by `POST /orgs` as well.
 */
export async function orgOf(service: Service, userId: string, idOrSlug: string, min: OrgRole): Promise<Org> {
  const org = await service.orgs.get(idOrSlug);
  await service.orgs.assertRole(org?.id ?? idOrSlug, userId, min);
  if (!org) throw new NotAuthorizedError();
  return org;
}
