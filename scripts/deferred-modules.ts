/**
 * The parts of the package that an import of `svc-auth` does not load: docs/decisions/lazy-loading.md. The sources import these
 * functions like any others. A build replaces each of these imports by a function of the same name in `dist/deferred.cjs`, whose first call
 * loads the file that contains the function.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Plugin } from 'esbuild';

/** The files, each with its functions and their modules. What an application usually calls together is one file, because every file costs time. */
const deferred: Record<string, Record<string, string>> = {
  'deferred-service': {
    assemble: 'src/engine/assemble.ts',
    createAuthRouter: 'src/http/router.ts',
  },
  'deferred-pro-routers': {
    createProRouter: 'src/http/pro-router.ts',
    createAdminRouter: 'src/http/admin-router.ts',
    openapiDocument: 'src/http/openapi/document.ts',
  },
  'deferred-sql-adapters': {
    knexAdapter: 'src/adapters/knex-adapter.ts',
    pgliteAdapter: 'src/adapters/postgres/pglite-adapter.ts',
    sqliteAdapter: 'src/adapters/portable/sqlite-adapter.ts',
  },
  'deferred-memory-adapter': {
    memoryAdapter: 'src/adapters/memory/memory-adapter.ts',
  },
};

/** The modules whose imports are replaced. Every other module loads what it imports. */
const importers = ['src/index.ts', 'src/engine/service.ts'].map((file) => path.resolve(file));

/** CommonJS, because only CommonJS can load a file synchronously, with a call that bundlers recognize. */
export const loader = './deferred.cjs';

/** Writes the functions that load the files. */
export function writeLoader(folder: string): void {
  const functions = Object.entries(deferred).flatMap(([file, modules]) =>
    Object.keys(modules).map(
      (name) =>
        `exports.${name} = function ${name}(...args) {\n  return require('./${file}.cjs').${name}(...args);\n};\n`,
    ),
  );
  writeFileSync(path.join(folder, loader), `'use strict';\n\n${functions.join('\n')}`);
}

export const deferModules: Plugin = {
  name: 'defer-modules',
  setup(build) {
    // The deferred files are entries of the build, but not of the package: they have no declarations.
    const files = Object.keys(deferred).map((file) => [file, `deferred:${file}`] as const);
    Object.assign(build.initialOptions.entryPoints as Record<string, string>, Object.fromEntries(files));
    build.onResolve({ filter: /^deferred:/ }, ({ path: entry }) => ({
      path: entry.replace('deferred:', ''),
      namespace: 'deferred-file',
    }));
    build.onLoad({ filter: /./, namespace: 'deferred-file' }, ({ path: file }) => ({
      contents: Object.entries(deferred[file]!)
        .map(([name, module]) => `export { ${name} } from './${module}';\n`)
        .join(''),
      resolveDir: '.',
    }));

    const names = new Map(
      Object.values(deferred)
        .flatMap((modules) => Object.entries(modules))
        .map(([name, module]) => [path.resolve(module), name]),
    );
    build.onResolve({ filter: /^\.\.?\/.*\.js$/ }, ({ importer, path: specifier }) => {
      const module = path.resolve(path.dirname(importer), specifier).replace(/\.js$/, '.ts');
      if (!importers.includes(importer) || !names.has(module)) return undefined;
      return { path: module, namespace: 'deferred-import' };
    });
    build.onLoad({ filter: /./, namespace: 'deferred-import' }, ({ path: module }) => ({
      contents: `export { ${names.get(module)} } from '${loader}';`,
    }));
  },
};
