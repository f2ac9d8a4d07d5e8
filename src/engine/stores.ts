/** The stores of a configuration that can be asked whether they respond. */
import type { ParsedConfig } from '../config/schema.js';

/** Returns the path of the option and the function that asks. */
export function pingedStores({
  rateLimit,
  session,
}: Pick<ParsedConfig, 'rateLimit' | 'session'>): [option: string, ping: () => Promise<void>][] {
  const stores = { 'rateLimit.store': rateLimit.store, 'session.cache.store': session.cache?.store };
  return Object.entries(stores).flatMap(([option, store]) =>
    store?.ping ? [[option, async () => store.ping?.()] as [string, () => Promise<void>]] : [],
  );
}
