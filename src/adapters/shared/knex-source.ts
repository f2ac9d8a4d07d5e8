/** Where an adapter gets its knex instance from. */
import type { Knex } from 'knex';

/** Opens and closes the knex instance. */
export interface KnexSource {
  /**
   * Called for every statement. The first call opens an instance, later calls return the same one.
   */
  open: () => Promise<Knex>;
  close: () => Promise<void>;
}

/**
 * Returns a source that creates a knex instance at the first statement and destroys it on close.
 */
export function ownedKnex(create: () => Promise<Knex>): KnexSource {
  let opening: Promise<Knex> | null = null;
  const open = cacheSuccess(create);
  return {
    open: () => (opening = open()),
    async close() {
      const knex = await opening?.catch(() => null);
      await knex?.destroy();
    },
  };
}

/** Returns a function that calls `load` until it succeeds once, and then returns what it has loaded. */
export function cacheSuccess<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | null = null;
  return () =>
    (loading ??= load().catch((error: unknown) => {
      // The next statement tries again, because the cause may have been removed.
      loading = null;
      throw error;
    }));
}
