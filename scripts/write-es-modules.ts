/**
 * Writes the ES modules of a build: `tsx scripts/write-es-modules.ts <dist>`. Part of `npm run build`. They export what the
 * CommonJS modules export, so that the package contains its code once, and a class is the same class in both module systems.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import { entries } from '../tsup.config.js';

const folder = path.resolve(process.argv[2] ?? 'dist');

const { metafile, outputFiles } = await build({
  entryPoints: entries,
  outdir: folder,
  format: 'esm',
  target: 'node20',
  platform: 'node',
  packages: 'external',
  bundle: true,
  write: false,
  metafile: true,
  logLevel: 'error',
});

for (const [output, { exports }] of Object.entries(metafile.outputs)) {
  const file = path.resolve(output);
  const name = path.basename(file, '.js');
  const write = (ending: string, text: string) => writeFileSync(path.join(folder, name + ending), text);
  write('.d.ts', `export * from './${name}.cjs';\n`);
  // Browsers load the client, and know no CommonJS.
  if (name === 'client') write('.js', outputFiles.find((each) => each.path === file)!.text);
  else {
    // Node.js searches the source of CommonJS that is imported for its exports, which takes as long as its execution. The bridge is short.
    write('.bridge.cjs', `exports.entry = require('./${name}.cjs');\n`);
    const names = exports.join(', ');
    write('.js', `import { entry } from './${name}.bridge.cjs';\nexport const { ${names} } = entry;\n`);
  }
}
