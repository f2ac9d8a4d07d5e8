/** The files of the admin pages. */
import { asset } from '../pages-kit/assets.js';
import { icon } from './icon.js';
import { script } from './script.js';
import { stylesheet } from './style/stylesheet.js';

export const assets = {
  style: asset('admin', 'css', stylesheet),
  script: asset('admin', 'js', script),
  icon: asset('icon', 'svg', icon),
};
export type Assets = typeof assets;
