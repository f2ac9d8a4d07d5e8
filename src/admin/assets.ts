/** The files of the admin pages. */
import { asset, script, stylesheet } from '../pages-kit/assets.js';
import { noOwnTokens, tokenSheet } from '../pages-kit/tokens.js';
import { icon } from './icon.js';

const sheets = ['colors', 'base', 'controls', 'messages', 'list', 'bulk', 'user', 'overview'];

export const assets = {
  style: asset('admin', 'css', stylesheet(tokenSheet(noOwnTokens), 'admin', sheets)),
  script: asset('admin', 'js', script('admin', ['admin'])),
  icon: asset('icon', 'svg', icon),
};
export type Assets = typeof assets;
