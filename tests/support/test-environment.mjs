// Shares the start of PGlite among the test files of a worker. Each file has its own realm, in which PGlite would be compiled and
// initialized again, for seconds of CPU time. Here that happens once, and each file gets a copy of the initial data.
/* global Blob, WebAssembly */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { TestEnvironment } from 'jest-environment-node';

/** Lives as long as the worker. */
let prepared;

async function prepare() {
  const folder = dirname(createRequire(import.meta.url).resolve('@electric-sql/pglite'));
  const read = (name) => readFile(join(folder, name));
  const options = {
    pgliteWasmModule: await WebAssembly.compile(await read('pglite.wasm')),
    fsBundle: new Blob([await read('pglite.data')]),
  };
  const fresh = await PGlite.create(options);
  const loadDataDir = await fresh.dumpDataDir('none');
  await fresh.close();
  return { ...options, loadDataDir };
}

export default class extends TestEnvironment {
  async setup() {
    await super.setup();
    this.global.svcAuthOpenPglite = async (options) =>
      PGlite.create({ ...(await (prepared ??= prepare())), ...options });
  }
}
