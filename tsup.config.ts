import { copyFileSync, readFileSync } from 'node:fs';
import { defineConfig } from 'tsup';

// Everything outside src stays outside the bundle: dependencies, peers, and what only the tests install.
const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Record<string, Record<string, string>>;
const packages = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });

export default defineConfig((options) => ({
  entry: {
    index: 'src/index.ts',
    token: 'src/token.ts',
    client: 'src/client.ts',
    testing: 'src/testing.ts',
    cli: 'src/cli.ts',
  },
  format: ['esm', 'cjs'],
  target: 'node20',
  platform: 'node',
  dts: true,
  // Code that two entries share lives in a chunk of its own, so that `svc-auth/token` loads only what it needs
  // and a class is the same class through every entry.
  splitting: true,
  // Rollup's pass; it also keeps tsup from rewriting the CommonJS chunks with sucrase, which would compile away `?.`,
  // `??` and class fields on the hot path.
  treeshake: true,
  // `import.meta.url` also in the CommonJS build of the command.
  shims: true,
  removeNodeProtocol: false,
  external: [...packages.flatMap((name) => [name, new RegExp(`^${name}/`)]), './packages.cjs'],
  sourcemap: true,
  clean: true,
  // Not bundled: the calls in it stay as they are written, so that the bundler of an application follows them.
  async onSuccess() {
    copyFileSync('src/runtime/packages.cjs', `${options.outDir ?? 'dist'}/packages.cjs`);
  },
}));
