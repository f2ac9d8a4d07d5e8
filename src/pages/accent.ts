/** The colors that follow from the accent color of the application: WCAG 2.2, 1.4.3 for text and 1.4.11 for what is not text. */
import {
  black,
  buttonGround,
  contrast,
  hex,
  mix,
  parseColor,
  rgb,
  shiftUntil,
  textOn,
  white,
  type Rgb,
} from '../domain/color.js';
import { colorsOf, type Colors, type Scheme, type Tokens } from '../pages-kit/tokens.js';

type AccentTokens = Readonly<
  Record<'accent' | 'accentHover' | 'onAccent' | 'link' | 'linkHover' | 'focus' | 'aside' | 'onAside', string>
>;
export type BrandColors = Colors & AccentTokens;

/** All colors of a scheme: the base, and what follows from the accent. What the application has set stays. */
export function brandColors(brand: string, scheme: Scheme, own: Tokens): BrandColors {
  const colors = colorsOf(scheme, own);
  return { ...colors, ...accentTokens(brand, scheme, colors), ...own };
}

/**
 * Returns the colors of buttons, links and the focus. A button keeps the color of the brand, with a text color that can be read on it. Links
 * and the focus are darkened or lightened until they are seen on the page and on the card.
 * @param colors of the scheme. `accent` among them is what the application has set for this scheme, and is used as it is.
 */
function accentTokens(brand: string, scheme: Scheme, colors: Colors): AccentTokens {
  const grounds = [rgb(colors.card), rgb(colors.page)];
  const away = scheme === 'light' ? 'darker' : 'lighter';
  const accent = parseColor(colors['accent']) ?? buttonGround(rgb(brand), scheme, grounds);
  const onAccent = parseColor(colors['onAccent']) ?? textOn(accent);
  const link = parseColor(colors['link']) ?? shiftUntil(accent, away, grounds, 4.5);
  const aside = colors['aside'];
  return {
    accent: hex(accent),
    accentHover: hex(hoverOf(accent, onAccent)),
    onAccent: hex(onAccent),
    link: hex(link),
    linkHover: hex(mix(link, scheme === 'light' ? black : white, 0.2)),
    focus: hex(shiftUntil(accent, away, grounds, 3)),
    aside: 'var(--sunk)',
    onAside: aside === undefined ? 'var(--text)' : hex(textOn(rgb(aside))),
  };
}

/** Further from the text on it; if there is no such color, nearer to it. */
function hoverOf(accent: Rgb, onAccent: Rgb): Rgb {
  const [further, nearer] =
    contrast(onAccent, white) > contrast(onAccent, black) ? [white, black] : [black, white];
  return contrast(accent, further) > 1.6 ? mix(accent, further, 0.14) : mix(accent, nearer, 0.14);
}
