/** Colors such as `#1f6b4f`, and their contrast (WCAG 2.2). */

/** Red, green and blue, from 0 to 255. */
export type Rgb = readonly [number, number, number];

export const white: Rgb = [255, 255, 255];
export const black: Rgb = [0, 0, 0];
/** The darkest text of pages and mails. */
export const ink: Rgb = [16, 19, 26];

/** Returns the parts of a color such as `#1f6b4f`. Null for anything else. */
export function parseColor(color: unknown): Rgb | null {
  const match = typeof color === 'string' ? /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(color) : null;
  if (!match) return null;
  const part = (index: number) => parseInt(match[index] ?? '', 16);
  return [part(1), part(2), part(3)];
}

/** @throws Error if a color that was checked before is invalid. */
export function rgb(color: string): Rgb {
  const parsed = parseColor(color);
  if (!parsed) throw new Error(`${color} is not a color such as #1f6b4f.`);
  return parsed;
}

/** Returns the color as CSS. */
export function toHex(color: Rgb): string {
  return `#${color.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}

/** @param share how much of `to` the mixture contains, from 0 to 1. */
export function mix(from: Rgb, to: Rgb, share: number): Rgb {
  const part = (index: 0 | 1 | 2) => Math.round(from[index] + (to[index] - from[index]) * share);
  return [part(0), part(1), part(2)];
}

/** Returns the contrast ratio of two colors, from 1 to 21. */
export function contrast(one: Rgb, other: Rgb): number {
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

/** Returns the color of text on a ground: the first of white, ink and black with a contrast of 4.5. One of them always has it. */
export function textOn(ground: Rgb): Rgb {
  return [white, ink].find((each) => contrast(each, ground) >= 4.5) ?? black;
}

/**
 * Returns the ground of a button in the color of a brand. Gray, which is what a black brand would become in the dark, looks disabled: a gray
 * that is too near to the ground around it is turned around. A color is lightened until it is seen in the dark, and stays in the light.
 */
export function buttonOn(ground: Rgb, color: Rgb, scheme: 'light' | 'dark'): Rgb {
  const isGray = Math.max(...color) - Math.min(...color) < 16;
  if (isGray && contrast(color, ground) < 3) return scheme === 'light' ? [22, 24, 29] : [244, 245, 247];
  return scheme === 'light' ? color : readableOn(ground, color, white, 2);
}

/**
 * Makes a color darker or lighter, with its hue, until it has a contrast to the ground. A pastel does not become garish: the less color it
 * has, the less saturated it stays.
 * @param towards black or white.
 * @param ratio default 4.5, the least for text (1.4.3). Parts of controls need 3 (1.4.11).
 */
export function readableOn(ground: Rgb, color: Rgb, towards: Rgb, ratio = 4.5): Rgb {
  if (contrast(color, ground) >= ratio) return color;
  const { hue, saturation, lightness, chroma } = toHsl(color);
  const tamed = Math.min(saturation, 0.4 + 0.6 * chroma);
  const step = towards === white ? 0.01 : -0.01;
  for (let shifted = lightness + step; shifted > 0 && shifted < 1; shifted += step) {
    const candidate = ofHsl(hue, tamed, shifted);
    if (contrast(candidate, ground) >= ratio) return candidate;
  }
  return towards;
}

/** CSS Color 4, 7: the hue from 0 to 6, the others from 0 to 1. */
function toHsl([r, g, b]: Rgb): { hue: number; saturation: number; lightness: number; chroma: number } {
  const [red, green, blue] = [r / 255, g / 255, b / 255];
  const [low, high] = [Math.min(red, green, blue), Math.max(red, green, blue)];
  const [chroma, lightness] = [high - low, (high + low) / 2];
  if (chroma === 0) return { hue: 0, saturation: 0, lightness, chroma };
  let hue = (red - green) / chroma + 4;
  if (high === red) hue = ((green - blue) / chroma + 6) % 6;
  else if (high === green) hue = (blue - red) / chroma + 2;
  return { hue, saturation: chroma / (1 - Math.abs(2 * lightness - 1)), lightness, chroma };
}

function ofHsl(hue: number, saturation: number, lightness: number): Rgb {
  const amount = saturation * Math.min(lightness, 1 - lightness);
  const part = (offset: number) => {
    const position = (offset + hue * 2) % 12;
    return Math.round(255 * (lightness - amount * Math.max(-1, Math.min(position - 3, 9 - position, 1))));
  };
  return [part(0), part(8), part(4)];
}
