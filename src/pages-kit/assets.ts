/** The files of the pages: stylesheet, script and icon, served by the routes of the pages themselves. */
import { sha256 } from '../crypto/digest.js';
import { browserFile } from './browser-files.cjs';
import { encodedOnce, type Encoded } from './encodings.js';

export interface Asset {
  /** Below the path of the pages. Contains a digest of the content, so that caches never serve an outdated file. */
  path: string;
  type: string;
  content: string;
  /** Compressed when it is first requested: a process that shows no page, or no page with the estimator, compresses nothing. */
  encoded: () => Promise<Encoded>;
}

/** @param ending `css`, `js` or `svg`. */
export function asset(name: string, ending: keyof typeof types, content: string): Asset {
  const digest = sha256(content).replace(/\W/g, '').slice(0, 16);
  const path = `/assets/${name}-${digest}.${ending}`;
  return { path, type: types[ending], content, encoded: encodedOnce(content) };
}

const types = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml; charset=utf-8',
};

/** Returns one stylesheet: the tokens and the avatars, then the files of a folder in `browser`. The rules of later files win. */
export function stylesheet(tokens: string, folder: string, names: readonly string[]): string {
  const sheets = names.map((name) => browserFile(`${folder}/${name}.css`));
  return compact([tokens, browserFile('avatar.css'), ...sheets].join(''));
}

/** Returns one script of the files of a folder in `browser`. They share their names with each other, and with nothing else on the page. */
export function script(folder: string, names: readonly string[]): string {
  const parts = names.map((name) => browserFile(`${folder}/${name}.js`));
  return compact(`'use strict';\n(() => {\n${parts.join('\n')}})();\n`);
}

/** Removes indentation, empty lines, and comments on separate lines, which no browser needs. */
function compact(source: string): string {
  return source.replace(/^\s*\/\*(?:(?!\*\/)[^])*\*\/$/gm, '').replace(/^\s*(?:\/\/.*)?\n|^\s+/gm, '');
}
