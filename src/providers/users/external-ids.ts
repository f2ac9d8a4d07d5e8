/** External ids that an import could have kept as the id of another account. */
import { keptIdOf } from '../../domain/uuid.js';
import { ExternalIdExistsError } from '../../errors/catalog.js';
import type { UserAdministrationRepository } from '../../storage/user-administration-repository.js';

/**
 * Refuses a UUID that is the id of another account: an import keeps ids, and a session of the former system with this id would lead to one
 * of the two.
 * @param userId null for a new user.
 * @throws ExternalIdExistsError
 */
export async function refuseIdOfAnother(
  repository: UserAdministrationRepository,
  externalId: string | null | undefined,
  userId: string | null,
): Promise<void> {
  const id = keptIdOf(externalId ?? null);
  if (id !== null && id !== userId && (await repository.find({ id }))) throw new ExternalIdExistsError();
}
