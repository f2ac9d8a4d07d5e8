/** The files of the pages. */
import { html } from '../html/html.js';
import { asset } from '../pages-kit/assets.js';
import { script } from './script.js';
import type { Settings } from './options.js';
import { accentGround } from './style/accent.js';
import { stylesheet } from './style/stylesheet.js';

export function createAssets({ accent, name }: Pick<Settings, 'accent' | 'name'>) {
  return {
    style: asset('pages', 'css', stylesheet(accent)),
    script,
    icon: asset('icon', 'svg', iconOf(name, accentGround(accent))),
  };
}
export type Assets = ReturnType<typeof createAssets>;

/** The icon of a product without a logo: the first letter of its name. */
function iconOf(name: string, color: string): string {
  const [letter = ''] = name.trim().toUpperCase();
  return html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
    <rect width="32" height="32" rx="8" fill="${color}" />
    <text
      x="16"
      y="23"
      font-family="system-ui, sans-serif"
      font-size="20"
      font-weight="600"
      text-anchor="middle"
      fill="#fff"
    >
      ${letter}
    </text>
  </svg>`.text;
}
