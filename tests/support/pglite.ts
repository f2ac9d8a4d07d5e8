/** Opens a separate PGlite for each test file, from the data that its worker has prepared (test-environment.mjs). */
import type { PGlite, PGliteOptions } from '@electric-sql/pglite';
import knex, { type Knex } from 'knex';
import client from 'knex-pglite';
import { knexAdapter, type StorageAdapter } from 'svc-auth';

declare global {
  var svcAuthOpenPglite: (options: PGliteOptions) => Promise<PGlite>;
}

/** Parses timestamptz and jsonb into objects of the file's own realm, as any driver does. */
const parsers = {
  1184: (text: string) => new Date(text),
  3802: (text: string) => JSON.parse(text) as unknown,
};

/** Like `pgliteAdapter()` except for the start. The conformance and HTTP suites run on `pgliteAdapter()` itself. */
export async function openPglite(): Promise<{ adapter: StorageAdapter; release: () => Promise<void> }> {
  const instance = knex({
    client,
    connection: { pglite: await globalThis.svcAuthOpenPglite({ parsers }) } as Knex.Config['connection'],
    compileSqlOnError: false,
    log: { warn: () => undefined },
  });
  // `destroy()` also closes PGlite.
  return { adapter: knexAdapter(instance), release: () => instance.destroy() };
}
