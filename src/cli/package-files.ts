/** The files of the package that commands read, in a checkout and in the published package. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { folder } from './module.cjs';

/** Returns the folder with the templates of pages as TypeScript. In the package, it has a folder `js`, too. */
export function templatesFolder(): string {
  return isBuilt() ? join(folder, '../../templates') : join(folder, '../pages/templates');
}

export function packageVersion(): string {
  const manifest = join(folder, isBuilt() ? '../../..' : '../..', 'package.json');
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version;
}

/** Returns whether this is `dist/src/cli` and not `src/cli`. */
function isBuilt(): boolean {
  return existsSync(join(folder, 'package-files.js'));
}
