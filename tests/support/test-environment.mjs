// What the test files of a worker share: the start of PGlite. Each file has a world of its own, in which PGlite would be compiled anew and
// make its first data anew, for seconds of a processor; out here that is done once, and each file gets a copy of those data.
/* global Blob, WebAssembly */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { TestEnvironment } from 'jest-environment-node';

/** As long as the worker lives. */
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
