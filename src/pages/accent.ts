/** The colors that follow from the accent color of the application: WCAG 2.2, 1.4.3 for text and 1.4.11 for what is not text. */
import {
  black,
  buttonOn,
  contrast,
  mix,
  parseColor,
  readableOn,
  rgb,
  textOn,
  toHex,
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
  const towards = scheme === 'light' ? black : white;
  // What is seen on one of them is seen on the other.
  const [ground = white] = [rgb(colors.card), rgb(colors.page)].sort(
    (one, other) => contrast(one, towards) - contrast(other, towards),
  );
  const accent = parseColor(colors['accent']) ?? buttonOn(ground, rgb(brand), scheme);
  const onAccent = parseColor(colors['onAccent']) ?? textOn(accent);
  const link = parseColor(colors['link']) ?? readableOn(ground, accent, towards);
  const aside = colors['aside'];
  return {
    accent: toHex(accent),
    accentHover: toHex(hoverOf(accent, onAccent)),
    onAccent: toHex(onAccent),
    link: toHex(link),
    linkHover: toHex(mix(link, towards, 0.2)),
    focus: toHex(readableOn(ground, accent, towards, 3)),
    aside: 'var(--sunk)',
    onAside: aside === undefined ? 'var(--text)' : toHex(textOn(rgb(aside))),
  };
}

/** Further from the text on it; if there is no such color, nearer to it. */
function hoverOf(accent: Rgb, onAccent: Rgb): Rgb {
  const [further, nearer] =
    contrast(onAccent, white) > contrast(onAccent, black) ? [white, black] : [black, white];
  return contrast(accent, further) > 1.6 ? mix(accent, further, 0.14) : mix(accent, nearer, 0.14);
}
