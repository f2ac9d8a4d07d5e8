import { ProviderNotConfiguredError } from '../errors/catalog.js';

/** @throws ProviderNotConfiguredError if the configuration does not enable the provider. */
export function configured<T>(name: string, provider: T): NonNullable<T> {
  if (!provider) throw new ProviderNotConfiguredError(name);
  return provider;
}
