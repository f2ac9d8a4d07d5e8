/** Checks optional repositories when a provider is constructed, so that a missing one is found at startup and not at the first sign-in. */
import { AdapterCapabilityError } from '../../errors/catalog.js';
import type { StorageAdapter } from '../../storage/adapter.js';

/** Returns an optional repository of the adapter. @throws AdapterCapabilityError if the adapter does not have it. */
export function capability<Name extends keyof StorageAdapter>(
  storage: StorageAdapter,
  name: Name,
): NonNullable<StorageAdapter[Name]> {
  const repository = storage[name];
  if (!repository) throw new AdapterCapabilityError(name);
  return repository;
}
