/**
 * The colors and measures of all pages, as variables of their stylesheets: in light and dark, as the system is set. Paper is white. Which
 * variable does what is described in docs/pages.md.
 */
import { hex, mix, rgb } from '../domain/color.js';

export type Scheme = 'light' | 'dark';
export type ColorScheme = Scheme | 'light dark';

/** Values by their names: `badSoft` is the variable `--bad-soft`. */
export type Tokens = Readonly<Record<string, string>>;

/** Colors that do not depend on others. */
const baseColors = {
  light: {
    page: '#f5f6f8',
    card: '#ffffff',
    text: '#161a23',
    bad: '#b3261e',
    badSoft: '#fdeeec',
    badLine: '#e3b7b3',
    badFill: '#b3261e',
    onBad: '#ffffff',
    warn: '#7a4d00',
    warnSoft: '#fdf1d8',
    warnLine: '#f0d9a4',
    good: '#14663f',
    goodSoft: '#e2f4ea',
  },
  dark: {
    page: '#0f1217',
    card: '#171b22',
    text: '#e8ebf1',
    bad: '#ffaaa2',
    badSoft: '#3a1e1d',
    badLine: '#6d3733',
    badFill: '#c9372c',
    onBad: '#ffffff',
    warn: '#f2c46d',
    warnSoft: '#3a2d12',
    warnLine: '#5c4719',
    good: '#86dcae',
    goodSoft: '#17352a',
  },
} as const satisfies Record<Scheme, Tokens>;

/** Colors between a ground and the text on it, so that they follow both. The share of the text in percent, in light and dark. */
const mixedColors = {
  sunk: { ground: 'page', light: 2, dark: 7 },
  current: { ground: 'page', light: 5, dark: 10 },
  line: { ground: 'card', light: 12, dark: 10 },
  field: { ground: 'card', light: 52, dark: 44 },
  soft: { ground: 'card', light: 73, dark: 66 },
} as const;

const shadows = {
  light: { shadow: '0 1px 2px rgb(22 26 35 / 6%), 0 8px 24px rgb(22 26 35 / 6%)' },
  dark: { shadow: '0 1px 2px rgb(0 0 0 / 40%)' },
} as const satisfies Record<Scheme, Tokens>;

const systemFont = "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif";

export const measures: Tokens = {
  radius: '0.625rem',
  font: systemFont,
  fontHeading: 'var(--font)',
  mono: "ui-monospace, 'SF Mono', Menlo, Consolas, monospace",
  logoHeight: '2rem',
  logoWidth: '15rem',
};

/** All values of a scheme. The named ones are the basis of others. */
export type Colors = Tokens & Readonly<Record<'page' | 'card' | 'text', string>>;

/** What an application sets in place of the usual values. */
export interface OwnTokens {
  colorScheme: ColorScheme;
  colors: Readonly<Record<Scheme, Tokens>>;
  measures: Tokens;
}

export const noOwnTokens: OwnTokens = {
  colorScheme: 'light dark',
  colors: { light: {}, dark: {} },
  measures: {},
};

/** Returns the colors of a scheme, and those between them. */
export function colorsOf(scheme: Scheme, own: Tokens): Colors {
  const base: Colors = { ...baseColors[scheme], ...own };
  const mixed = Object.entries(mixedColors).map(([name, { ground, ...shares }]) => [
    name,
    hex(mix(rgb(base[ground]), rgb(base.text), shares[scheme] / 100)),
  ]);
  return { ...base, ...(Object.fromEntries(mixed) as Tokens), ...shadows[scheme], ...own };
}

/**
 * Returns the variables as CSS.
 * @param more values that follow from the colors of a scheme.
 */
export function tokenSheet(own: OwnTokens, more: (scheme: Scheme) => Tokens = () => ({})): string {
  const { colorScheme } = own;
  const valuesOf = (scheme: Scheme) => ({ ...colorsOf(scheme, own.colors[scheme]), ...more(scheme) });
  const root = (values: Tokens) => `:root {\n${declarations(values)}}\n`;
  const screen = colorScheme === 'dark' ? 'screen' : 'screen and (prefers-color-scheme: dark)';
  const both = (light: Tokens, dark: Tokens) =>
    root(light) + (colorScheme === 'light' ? '' : `@media ${screen} {\n${root(dark)}}\n`);
  const mixtures = both(mixturesOf('light', own.colors.light), mixturesOf('dark', own.colors.dark));
  return [
    `:root {\ncolor-scheme: ${colorScheme};\n}\n`,
    both({ ...measures, ...own.measures, ...valuesOf('light') }, valuesOf('dark')),
    `@supports (color: color-mix(in srgb, red, red)) {\n${mixtures}}\n`,
  ].join('');
}

/** The colors between others, computed by the browser: they follow what a stylesheet of the application sets. */
function mixturesOf(scheme: Scheme, own: Tokens): Tokens {
  const mixed = Object.entries(mixedColors).filter(([name]) => own[name] === undefined);
  return Object.fromEntries(
    mixed.map(([name, { ground, ...shares }]) => [
      name,
      `color-mix(in srgb, var(--${ground}), var(--text) ${shares[scheme]}%)`,
    ]),
  );
}

/** Returns the variable of a token. */
export function variableOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

function declarations(values: Tokens): string {
  return Object.entries(values)
    .map(([name, value]) => `${variableOf(name)}: ${value};\n`)
    .join('');
}
