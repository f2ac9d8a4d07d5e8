/** What a provider asks of the adapter when it is constructed, so that a gap shows at boot and not at the first sign-in. */
import { AdapterCapabilityError } from '../errors/catalog.js';
import type { StorageAdapter } from '../storage/adapter.js';

/** @throws AdapterCapabilityError where the adapter lacks the repository. */
export function capability<Name extends keyof StorageAdapter>(
  storage: StorageAdapter,
  name: Name,
): NonNullable<StorageAdapter[Name]> {
  const repository = storage[name];
  if (!repository) throw new AdapterCapabilityError(name);
  return repository;
}
