/** The files of the pages. */
import { html } from '../html/html.js';
import { asset, script, stylesheet } from '../pages-kit/assets.js';
import type { PageBrand } from './theme-options.js';

const sheets = [
  'base',
  'card',
  'controls',
  'notices',
  'providers',
  'account',
  'account-forms',
  'account-sections',
  'people',
  'fields',
  'touch',
];
/** Most have a function `enhance…`, which the last calls for the first page and after each step. */
const scripts = [
  'connection',
  'forms',
  'mail',
  'passkeys',
  'signals',
  'challenge',
  'account',
  'strength',
  'steps',
];

export function createAssets({ colors, name, tokens }: PageBrand) {
  return {
    style: asset('pages', 'css', stylesheet(tokens, 'pages', sheets)),
    script: asset('pages', 'js', script('pages', scripts)),
    icon: asset('icon', 'svg', iconOf(name, colors.light)),
  };
}
export type Assets = ReturnType<typeof createAssets>;

/** The icon of a product without a logo: the first letter of its name. */
function iconOf(name: string, { accent, onAccent }: PageBrand['colors']['light']): string {
  const [letter = ''] = name.trim().toUpperCase();
  return html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
    <rect width="32" height="32" rx="8" fill="${accent}" />
    <text
      x="16"
      y="23"
      font-family="system-ui, sans-serif"
      font-size="20"
      font-weight="600"
      text-anchor="middle"
      fill="${onAccent}"
    >
      ${letter}
    </text>
  </svg>`.text;
}
