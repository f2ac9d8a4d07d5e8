/** The files of the pages. */
import { asset } from '../pages-kit/assets.js';
import { script } from './script.js';
import { stylesheet } from './style/stylesheet.js';

export function createAssets(accent: string) {
  return { style: asset('pages', 'css', stylesheet(accent)), script };
}
export type Assets = ReturnType<typeof createAssets>;
