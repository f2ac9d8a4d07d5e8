/** The options of the pages that show the brand of an application: name, logo, colors, font. */
import type { Brand } from '../core/support/brand.js';
import type { OptionFaults } from '../core/support/options.js';
import { parseColor } from '../domain/color.js';
import { isTarget } from '../http/redirects.js';
import { tokenSheet, type ColorScheme, type Scheme, type Tokens } from '../pages-kit/tokens.js';
import { brandColors, type BrandColors } from './accent.js';
import { isPath } from './paths.js';

/** The colors of one scheme, as `#rrggbb`. Each is a variable of the stylesheet: `onAccent` is `--on-accent`. */
export interface ThemeColors {
  /** The ground of the page. */
  page?: string;
  /** The ground of cards, panels and fields. */
  card?: string;
  /** The ground of what lies deeper: addresses, codes, a button under the pointer. Default: `page` with 2 % of `text`, in the dark 7 %. */
  sunk?: string;
  /** The ground of the current section. Default: `page` with 5 % of `text`, in the dark 10 %. */
  current?: string;
  /** The ground next to the card, for the slot `signInAside`. Default: `sunk`. */
  aside?: string;
  /** Text on `aside`. Default: black or white, as can be read. */
  onAside?: string;
  text?: string;
  /** Text of less weight. Default: `text` with some of `card`. */
  soft?: string;
  /** Lines around cards and between rows. Default: `card` with some of `text`. */
  line?: string;
  /** Lines around fields and plain buttons. Default: `card` with more of `text`. */
  field?: string;
  /** The ground of the main button. Default: the option `accent`, in the dark light enough to be seen. */
  accent?: string;
  /** The main button under the pointer. */
  accentHover?: string;
  /** Text on `accent`. Default: black or white, as can be read. */
  onAccent?: string;
  /** Links. Default: `accent`, as dark or light as a contrast of 4.5 needs. */
  link?: string;
  linkHover?: string;
  /** The ring around what has the focus. Default: `accent`, as dark or light as a contrast of 3 needs. */
  focus?: string;
  /** Text of errors. */
  bad?: string;
  /** The ground of errors. */
  badSoft?: string;
  /** Lines around what is dangerous. */
  badLine?: string;
  /** The ground of a button that deletes. */
  badFill?: string;
  /** Text on `badFill`. */
  onBad?: string;
  /** Text of warnings. */
  warn?: string;
  /** The ground of warnings. */
  warnSoft?: string;
  /** Lines around warnings. */
  warnLine?: string;
  /** Text of what has succeeded. */
  good?: string;
  /** The ground of what has succeeded. */
  goodSoft?: string;
  /** The shadow of the card, as CSS, such as `none`. */
  shadow?: string;
}

export interface ThemeOptions {
  /** The name of the product. Default: `brand.name` of the service, else its `appName`. */
  name?: string;
  /**
   * The logo, above the card and in the header of the account: a path or an https URL. `{ light, dark }` has another one for dark pages.
   * Default: `brand.logo` of the service, else the name.
   */
  logo?: string | { light: string; dark: string };
  /** The icon in the tab of the browser: a path or an https URL. Default: the first letter of the name. */
  icon?: string;
  /**
   * The color of the brand, as `#rrggbb`: the main button has it, links and the focus have one near it. Default: `brand.accent` of the
   * service, else `#3f4fd9`.
   */
  accent?: string;
  /** Colors of light and dark pages. */
  theme?: { light?: ThemeColors; dark?: ThemeColors };
  /** `light`, `dark`, or `light dark` as the system is set. Default `light dark`. */
  colorScheme?: ColorScheme;
  /** The height of the logo above the card, such as `3rem` for one that is as high as it is wide. Default `2rem`. */
  logoHeight?: string;
  /** The radius of fields and buttons, such as `4px`; cards have a larger one. Default `0.625rem`. */
  radius?: string;
  /** The font, as in CSS: `'Inter, system-ui, sans-serif'`. `stylesheet` contains the `@font-face` of its files. Default: that of the system. */
  font?: string;
  /** The path of a stylesheet of the application, loaded after that of the pages. */
  stylesheet?: string;
}

/** How the pages look. */
export interface PageBrand {
  name: string;
  /** The same path twice if there is one logo, or one color scheme. */
  logo: { light: string; dark: string } | null;
  icon: string | null;
  stylesheet: string | null;
  colorScheme: ColorScheme;
  colors: Readonly<Record<Scheme, BrandColors>>;
  /** The other sites from which the pages load their images. */
  imageOrigins: readonly string[];
  /** The variables of the stylesheet, as CSS. */
  tokens: string;
}

const usualAccent = '#3f4fd9';
const colorNames = Object.keys(brandColors(usualAccent, 'light', {}));
const colorSchemes: readonly ColorScheme[] = ['light', 'dark', 'light dark'];
const schemes = ['light', 'dark'] as const;

export const themeOptionNames: readonly (keyof ThemeOptions)[] = [
  'name',
  'logo',
  'logoHeight',
  'icon',
  'accent',
  'theme',
  'colorScheme',
  'radius',
  'font',
  'stylesheet',
];

/** Adds what is wrong with the options to the faults of the others. */
export function checkTheme(options: Partial<ThemeOptions>, faults: OptionFaults): void {
  const { name, logo, logoHeight, icon, accent, theme, colorScheme, radius, font, stylesheet } = options;
  const isRight = (value: unknown, isValid: (value: unknown) => boolean, option: string, form: string) =>
    faults.check(value === undefined || isValid(value), option, form);
  isRight(name, isName, 'name', 'must be a string that is not empty');
  if (typeof logo === 'object') {
    for (const [scheme] of faults.entries(logo, 'logo')) faults.named(scheme, schemes, 'logo.');
    for (const scheme of schemes) faults.check(isImage(logo?.[scheme]), `logo.${scheme}`, imageForm);
  } else isRight(logo, isImage, 'logo', imageForm);
  isRight(icon, isImage, 'icon', imageForm);
  isRight(stylesheet, isPath, 'stylesheet', 'must be a path that starts with one /');
  isRight(accent, isColor, 'accent', colorForm);
  isRight(colorScheme, isColorScheme, 'colorScheme', 'must be light, dark or light dark');
  isRight(logoHeight, isLength, 'logoHeight', lengthForm);
  isRight(radius, isLength, 'radius', lengthForm);
  isRight(font, isFont, 'font', "must be names of fonts such as 'Inter, sans-serif'");
  for (const [scheme, colors] of faults.entries(theme, 'theme')) {
    faults.named(scheme, schemes, 'theme.');
    for (const [key, value] of faults.entries(colors, `theme.${scheme}`)) {
      faults.named(key, colorNames, `theme.${scheme}.`);
      if (key === 'shadow')
        isRight(value, isShadow, `theme.${scheme}.shadow`, 'must be a shadow such as none');
      else isRight(value, isColor, `theme.${scheme}.${key}`, colorForm);
    }
  }
}

const imageForm = 'must be a path that starts with one /, or an https URL';
const lengthForm = 'must be a length such as 4px or 0.5rem';
const colorForm = 'must be a color such as #1f6b4f';

/**
 * @param options that have been checked.
 * @param brand of the service, for what they leave out.
 */
export function brandOf(options: Partial<ThemeOptions>, brand: Brand): PageBrand {
  const { theme = {}, colorScheme = 'light dark', logoHeight, radius, font } = options;
  const own = { light: given(theme.light), dark: given(theme.dark) };
  const accent = options.accent ?? own.light['accent'] ?? brand.accent ?? usualAccent;
  const colors = {
    light: brandColors(accent, 'light', own.light),
    dark: brandColors(accent, 'dark', own.dark),
  };
  const logo = logosOf(options.logo ?? brand.logo, colorScheme);
  const { name = brand.name, icon = null, stylesheet = null } = options;
  const measures = given({ logoHeight, radius, font });
  return {
    ...{ name, logo, icon, stylesheet, colorScheme, colors },
    imageOrigins: originsOf([logo?.light, logo?.dark, icon]),
    tokens: tokenSheet({ colorScheme, colors: own, measures }, (scheme) => colors[scheme]),
  };
}

function originsOf(images: readonly (string | null | undefined)[]): string[] {
  const remote = images.filter((image) => typeof image === 'string' && !image.startsWith('/'));
  return [...new Set(remote.map((image) => new URL(image!).origin))];
}

function logosOf(logo: ThemeOptions['logo'] | null, colorScheme: ColorScheme): PageBrand['logo'] {
  if (logo === undefined || logo === null) return null;
  const { light, dark } = typeof logo === 'string' ? { light: logo, dark: logo } : logo;
  return { light: colorScheme === 'dark' ? dark : light, dark: colorScheme === 'light' ? light : dark };
}

/** Without the absent values. */
function given(values: object = {}): Tokens {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

function isName(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '';
}

function isImage(value: unknown): boolean {
  return isTarget(value) && !value.startsWith('http:');
}

function isColor(value: unknown): boolean {
  return parseColor(value) !== null;
}

function isColorScheme(value: unknown): boolean {
  return colorSchemes.includes(value as ColorScheme);
}

function isLength(value: unknown): boolean {
  return typeof value === 'string' && /^(?:0|\d{0,4}\.?\d{1,4}(?:px|rem|em))$/.test(value);
}

/** Names between commas, with quotes or without. Nothing that ends a declaration. */
function isFont(value: unknown): boolean {
  const name =
    /^(?:"[\p{L}\p{N} _.&+-]+"|'[\p{L}\p{N} _.&+-]+'|-?[\p{L}_][\p{L}\p{N}_-]*(?: [\p{L}_][\p{L}\p{N}_-]*)*)$/u;
  return typeof value === 'string' && value.split(',').every((each) => name.test(each.trim()));
}

/** Lengths, keywords, and colors as `#…`, rgb() or hsl(). Nothing that ends a declaration or loads a file. */
function isShadow(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  const rest = value.replace(/\b(?:rgb|hsl)a?\([\d\s.,%/]*\)|#[\da-f]{3,8}\b/gi, '');
  return value.trim() !== '' && /^[\w\s.,-]*$/.test(rest);
}
