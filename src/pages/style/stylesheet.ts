/** The stylesheet of the pages. */
import { accentColors } from './accent.js';
import { account } from './account.js';
import { base } from './base.js';
import { card } from './card.js';
import { controls } from './controls.js';

export function stylesheet(accent: string): string {
  return [colors(accent), base, card, controls, account, touch].join('\n');
}

/** In light and dark: the pages follow the system setting, and paper is white. An application changes them by its own stylesheet on `:root`. */
const colors = (accent: string) => `
:root {
  color-scheme: light dark;
  --page: #f5f6f8;
  --card: #ffffff;
  --sunk: #f1f3f6;
  --text: #161a23;
  --soft: #555e6e;
  --line: #e1e4ea;
  --field: #868fa0;
  --bad: #b3261e;
  --bad-soft: #fdeeec;
  --bad-line: #e3b7b3;
  --bad-fill: #b3261e;
  --on-bad: #ffffff;
  --current: #e9ecf1;
  --warn: #7a4d00;
  --warn-soft: #fdf1d8;
  --good: #14663f;
  --good-soft: #e2f4ea;
  --radius: 0.625rem;
  --shadow: 0 1px 2px rgb(22 26 35 / 6%), 0 8px 24px rgb(22 26 35 / 6%);
  ${accentColors(accent, 'light')}
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --page: #0f1217;
    --card: #171b22;
    --sunk: #1f242d;
    --text: #e8ebf1;
    --soft: #a1aabb;
    --line: #2b323d;
    --field: #737d8f;
    --bad: #ffaaa2;
    --bad-soft: #3a1e1d;
    --bad-line: #6d3733;
    --bad-fill: #c9372c;
    --on-bad: #ffffff;
    --current: #232936;
    --warn: #f2c46d;
    --warn-soft: #3a2d12;
    --good: #86dcae;
    --good-soft: #17352a;
    --shadow: 0 1px 2px rgb(0 0 0 / 40%);
    ${accentColors(accent, 'dark')}
  }
}`;

/** Fingers need larger targets than a mouse. Last, because it applies to controls of every part. */
const touch = `
@media (max-width: 48rem), (pointer: coarse) {
  button:not(.secret button), button.link, .button, .actions button, .actions .button { min-block-size: 2.75rem; }
  .field.check label { display: flex; align-items: center; min-block-size: 2.75rem; }
  .languages summary { padding-block: 0.8rem; }
}`;
