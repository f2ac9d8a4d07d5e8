import { copyFileSync, readFileSync } from 'node:fs';
import { defineConfig } from 'tsup';
import { writeBrowserFiles } from './scripts/browser-files.js';
import { copyTemplates } from './scripts/copy-templates.js';
import { deferModules, loader, writeLoader } from './scripts/deferred-modules.js';

// Dependencies and peer dependencies are not bundled. zod is neither: most of it is never used and is left out of the
// bundle, and scripts/inline-zod-types.ts removes it from the declarations.
const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Record<string, Record<string, string>>;
const packages = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });

export const entries = {
  index: 'src/index.ts',
  token: 'src/token.ts',
  client: 'src/client.ts',
  server: 'src/server.ts',
  admin: 'src/admin.ts',
  pages: 'src/pages.ts',
  redis: 'src/redis.ts',
  testing: 'testing/index.ts',
};

// CommonJS Jest refuses every `import()`, so the files of the package load each other by `require`.
const requireOwnFiles = {
  name: 'require-own-files',
  renderChunk: (code: string) => ({
    code: code.replace(/\bimport\(("\.\/[^"]+")\)/g, 'Promise.resolve(require($1))'),
  }),
};

export default defineConfig((options) => ({
  entry: { ...entries, cli: 'src/cli.ts' },
  esbuildPlugins: [deferModules],
  plugins: [requireOwnFiles],
  // scripts/write-es-modules.ts adds the ES modules.
  format: ['cjs'],
  target: 'node20',
  platform: 'node',
  dts: true,
  // Code that two entries share goes into a separate chunk, so that `svc-auth/token` loads only what it needs
  // and a class is the same class through every entry.
  splitting: true,
  // Rollup's pass; it also keeps tsup from rewriting the CommonJS chunks with sucrase, which would compile away `?.`,
  // `??` and class fields on the hot path. No chunk has side effects, so an import without names is removed.
  treeshake: { moduleSideEffects: 'no-external' },
  removeNodeProtocol: false,
  external: [
    ...packages.flatMap((name) => [name, new RegExp(`^${name}/`)]),
    './packages.cjs',
    './databases.cjs',
    './browser-files.cjs',
    loader,
  ],
  clean: true,
  // packages.cjs, databases.cjs and the list of passwords are copied instead of bundled: the calls in it stay unchanged, so that the bundler of an application can follow them.
  async onSuccess() {
    const folder = options.outDir ?? 'dist';
    for (const file of ['packages.cjs', 'databases.cjs', 'common-passwords.cjs'])
      copyFileSync(`src/runtime/${file}`, `${folder}/${file}`);
    writeBrowserFiles(folder);
    writeLoader(folder);
    // `svc-auth pages eject` writes them into a project.
    await copyTemplates(`${folder}/templates`);
    // Its license asks that copies include it.
    copyFileSync('node_modules/zod/LICENSE', `${folder}/zod-LICENSE`);
  },
}));
