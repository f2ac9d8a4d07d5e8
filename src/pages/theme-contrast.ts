/** Colors of an application on which its text cannot be read: WCAG 2.2, 1.4.3. They are its choice, so they are logged and not refused. */
import { contrast, parseColor } from '../domain/color.js';
import type { Logger } from '../core/support/logger.js';
import type { BrandColors } from './accent.js';
import type { ThemeColors, ThemeOptions } from './theme-options.js';

type ColorName = Exclude<keyof ThemeColors, 'shadow'>;

/** Text, and what it stands on. */
const pairs: readonly (readonly [text: ColorName, ground: ColorName])[] = [
  ['text', 'page'],
  ['text', 'card'],
  ['soft', 'page'],
  ['soft', 'card'],
  ['link', 'page'],
  ['link', 'card'],
  ['onAccent', 'accent'],
  ['onAside', 'aside'],
  ['bad', 'card'],
  ['bad', 'badSoft'],
  ['onBad', 'badFill'],
  ['warn', 'warnSoft'],
  ['good', 'goodSoft'],
];

const needed = 4.5;

/** Logs each pair that the application has set, at least in part, and that cannot be read. */
export function warnOfContrast(
  { theme = {} }: Pick<ThemeOptions, 'theme'>,
  colors: Readonly<Record<'light' | 'dark', BrandColors>>,
  colorScheme: string,
  logger: Logger,
): void {
  for (const scheme of ['light', 'dark'] as const) {
    const own = theme[scheme] ?? {};
    if (!colorScheme.includes(scheme)) continue;
    for (const [text, ground] of pairs) {
      if (own[text] === undefined && own[ground] === undefined) continue;
      // A color that follows from others by a rule of the stylesheet has no value here.
      const [front, back] = [parseColor(colors[scheme][text]), parseColor(colors[scheme][ground])];
      const found = front && back ? contrast(front, back) : needed;
      if (found < needed)
        logger.warn(
          { option: `theme.${scheme}` },
          `createPages: the contrast of ${text} on ${ground} is ${found.toFixed(1)}. Text needs ${needed}.`,
        );
    }
  }
}
