/** The colors that follow from the accent color of the application. */

type Rgb = readonly [number, number, number];

/** Returns the parts of a color such as `#1f6b4f`, from 0 to 255. Null for anything else. */
export function parseAccent(color: unknown): Rgb | null {
  const match = typeof color === 'string' ? /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(color) : null;
  if (!match) return null;
  const part = (index: number) => parseInt(match[index] ?? '', 16);
  return [part(1), part(2), part(3)];
}

const white: Rgb = [255, 255, 255];
const black: Rgb = [0, 0, 0];
const themes = {
  light: { ground: white, towards: black },
  dark: { ground: [23, 27, 34], towards: white },
} as const;

/** Returns the colors as CSS, in light and dark: buttons keep a contrast of 4.5 to their text, and links one of 4.5 to the card. */
export function accentTokens(accent: string): string {
  return `:root {
  ${accentColors(accent, 'light')}
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    ${accentColors(accent, 'dark')}
  }
}
`;
}

function accentColors(accent: string, theme: keyof typeof themes): string {
  const { ground, towards } = themes[theme];
  const readable = readableAccent(accent, theme);
  const onAccent = contrast(readable, white) >= 4.5 ? '#ffffff' : '#10131a';
  return `--accent: ${hex(readable)};
  --accent-hover: ${hex(mix(readable, towards, 0.16))};
  --accent-soft: ${hex(mix(ground, readable, 0.12))};
  --on-accent: ${onAccent};`;
}

/** Returns the color as a ground for white text. */
export function accentGround(accent: string): string {
  return hex(readableAccent(accent, 'light'));
}

function readableAccent(accent: string, theme: keyof typeof themes): Rgb {
  const { ground, towards } = themes[theme];
  return shiftUntil(parseAccent(accent) ?? [63, 79, 217], ground, towards);
}

/** Mixes a color with another until its contrast with the ground is 4.5 (WCAG 2.2, 1.4.3). */
function shiftUntil(color: Rgb, ground: Rgb, towards: Rgb): Rgb {
  for (let share = 0; share < 1; share += 0.04) {
    const mixed = mix(color, towards, share);
    if (contrast(mixed, ground) >= 4.6) return mixed;
  }
  return towards;
}

function mix(from: Rgb, to: Rgb, share: number): Rgb {
  const part = (index: 0 | 1 | 2) => Math.round(from[index] + (to[index] - from[index]) * share);
  return [part(0), part(1), part(2)];
}

function hex(color: Rgb): string {
  return `#${color.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}

/** WCAG 2.2, contrast ratio. */
function contrast(one: Rgb, other: Rgb): number {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

function luminance([red, green, blue]: Rgb): number {
  const linear = (part: number) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}
