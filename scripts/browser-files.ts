/**
 * Writes `browser-files.cjs` of a build: a module with the content of src/pages-kit/browser, so that bundlers, which follow `require` and not
 * paths, put them into the bundle of an application.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const source = fileURLToPath(new URL('../src/pages-kit/browser', import.meta.url));

/** @param folder that of the module in the build. */
export function writeBrowserFiles(folder: string): void {
  const names = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(css|js)$/.test(name))
    .map((name) => name.replaceAll(path.sep, '/'))
    .sort();
  const contents = Object.fromEntries(
    names.map((name) => [name, readFileSync(path.join(source, name), 'utf8')]),
  );
  const code = `'use strict';\n\nconst contents = ${JSON.stringify(contents, null, 2)};\n\nexports.browserFile = (name) => contents[name];\n`;
  writeFileSync(path.join(folder, 'browser-files.cjs'), code);
}
