/** A PGlite of a test file's own, which begins with what its worker has prepared (test-environment.mjs). */
import type { PGlite, PGliteOptions } from '@electric-sql/pglite';
import knex, { type Knex } from 'knex';
import client from 'knex-pglite';
import { knexAdapter, type StorageAdapter } from 'svc-auth';

declare global {
  var svcAuthOpenPglite: (options: PGliteOptions) => Promise<PGlite>;
}

/** What is read is of the file's own world, as with any driver: timestamptz and jsonb. */
const parsers = {
  1184: (text: string) => new Date(text),
  3802: (text: string) => JSON.parse(text) as unknown,
};

/** As `pgliteAdapter()` does, but for the start; the contract and the HTTP suite are held against that one. */
export async function openPglite(): Promise<{ adapter: StorageAdapter; release: () => Promise<void> }> {
  const instance = knex({
    client,
    connection: { pglite: await globalThis.svcAuthOpenPglite({ parsers }) } as Knex.Config['connection'],
    compileSqlOnError: false,
    log: { warn: () => undefined },
  });
  // Which closes PGlite.
  return { adapter: knexAdapter(instance), release: () => instance.destroy() };
}
