import type { Knex } from 'knex';

/** Returns the maximum number of connections of a knex instance. */
export function maxOfPool(knex: Knex): number {
  const { pool } = knex.client as { pool?: { max?: unknown } };
  return typeof pool?.max === 'number' ? pool.max : Number.POSITIVE_INFINITY;
}
