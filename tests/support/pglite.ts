/** Opens a separate PGlite for each test file. A process compiles and migrates it once, which takes seconds, and each file gets a copy. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import knex, { type Knex } from 'knex';
import client from 'knex-pglite';
import { knexAdapter, type StorageAdapter } from 'svc-auth';

/** Node has it, but only the types of a browser declare it. */
const { compile } = (
  globalThis as unknown as {
    WebAssembly: { compile: (bytes: Uint8Array) => Promise<WebAssembly.Module> };
  }
).WebAssembly;

let prepared: ReturnType<typeof prepare> | undefined;

async function prepare() {
  const folder = dirname(createRequire(import.meta.url).resolve('@electric-sql/pglite'));
  const read = (name: string) => readFile(join(folder, name));
  const options = {
    pgliteWasmModule: await compile(await read('pglite.wasm')),
    fsBundle: new Blob([await read('pglite.data')]),
  };
  const fresh = await PGlite.create(options);
  const instance = openKnex(fresh);
  await knexAdapter(instance).init();
  const loadDataDir = await fresh.dumpDataDir('none');
  await instance.destroy();
  return { ...options, loadDataDir };
}

/** Its `destroy()` also closes PGlite. */
function openKnex(pglite: PGlite): Knex {
  return knex({
    client,
    connection: { pglite } as Knex.Config['connection'],
    compileSqlOnError: false,
    log: { warn: () => undefined },
  });
}

/** Like `pgliteAdapter()` except for the start. The conformance and HTTP suites run on `pgliteAdapter()` itself. */
export async function openPglite(): Promise<{ adapter: StorageAdapter; release: () => Promise<void> }> {
  const instance = openKnex(await PGlite.create(await (prepared ??= prepare())));
  return { adapter: knexAdapter(instance), release: () => instance.destroy() };
}
