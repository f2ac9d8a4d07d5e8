/** The files of the pages: stylesheet, script and icon, served by the routes of the pages themselves. */
import { sha256 } from '../crypto/digest.js';
import { browserFile } from './browser-files.cjs';

export interface Asset {
  /** Below the path of the pages. Contains a digest of the content, so that caches never serve an outdated file. */
  path: string;
  type: string;
  content: string;
}

/** @param ending `css`, `js` or `svg`. */
export function asset(name: string, ending: keyof typeof types, content: string): Asset {
  const digest = sha256(content).replace(/\W/g, '').slice(0, 16);
  return { path: `/assets/${name}-${digest}.${ending}`, type: types[ending], content };
}

const types = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml; charset=utf-8',
};

/** Returns one stylesheet of the files of a folder in `browser`. The rules of later files win. */
export function stylesheet(folder: string, names: readonly string[]): string {
  return names.map((name) => browserFile(`${folder}/${name}.css`)).join('');
}

/** Returns one script of the files of a folder in `browser`. They share their names with each other, and with nothing else on the page. */
export function script(folder: string, names: readonly string[]): string {
  const parts = names.map((name) => browserFile(`${folder}/${name}.js`));
  return `'use strict';\n(() => {\n${parts.join('\n')}})();\n`;
}
