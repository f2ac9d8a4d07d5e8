/** Computes with colors: mixtures, and the contrast of WCAG 2.2. */

export type Rgb = readonly [number, number, number];

export const white: Rgb = [255, 255, 255];
export const black: Rgb = [0, 0, 0];

/** Returns the parts of a color such as `#1f6b4f` or `#fff`, from 0 to 255. Null for anything else. */
export function parseColor(color: unknown): Rgb | null {
  if (typeof color !== 'string' || !/^#(?:[0-9a-f]{3}){1,2}$/i.test(color)) return null;
  const digits = color.slice(1);
  const size = digits.length / 3;
  const part = (index: number) =>
    parseInt(digits.slice(index * size, (index + 1) * size).repeat(3 - size), 16);
  return [part(0), part(1), part(2)];
}

/** @throws Error if a color that was checked before is invalid. */
export function rgb(color: string): Rgb {
  const parsed = parseColor(color);
  if (!parsed) throw new Error(`${color} is not a color such as #1f6b4f`);
  return parsed;
}

export function hex(color: Rgb): string {
  return `#${color.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}

/** @param share of the second color, from 0 to 1. */
export function mix(from: Rgb, to: Rgb, share: number): Rgb {
  const part = (index: 0 | 1 | 2) => Math.round(from[index] + (to[index] - from[index]) * share);
  return [part(0), part(1), part(2)];
}

/** WCAG 2.2, contrast ratio: from 1 to 21. */
export function contrast(one: Rgb, other: Rgb): number {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

/** Returns the lowest contrast of a color with several grounds. */
export function lowestContrast(color: Rgb, grounds: readonly Rgb[]): number {
  return Math.min(...grounds.map((ground) => contrast(color, ground)));
}

/**
 * Makes a color darker or lighter, with its hue and no more than its contrast with all grounds needs. A pastel does not become garish: the
 * less color it has, the less saturated it stays.
 */
export function shiftUntil(
  color: Rgb,
  direction: 'darker' | 'lighter',
  grounds: readonly Rgb[],
  ratio: number,
): Rgb {
  if (lowestContrast(color, grounds) >= ratio) return color;
  const { hue, saturation, lightness, chroma } = hslOf(color);
  const tamed = Math.min(saturation, 0.4 + 0.6 * chroma);
  const step = direction === 'darker' ? -0.01 : 0.01;
  for (let shifted = lightness + step; shifted > 0 && shifted < 1; shifted += step) {
    const candidate = ofHsl(hue, tamed, shifted);
    if (lowestContrast(candidate, grounds) >= ratio) return candidate;
  }
  return direction === 'darker' ? black : white;
}

/**
 * Returns the ground of a button in the color of a brand: that color, if it is seen. Gray, which is what a black brand would become in the
 * dark, looks disabled: a gray that is too near to its grounds is turned around. A color is lightened in the dark.
 */
export function buttonGround(color: Rgb, scheme: 'light' | 'dark', grounds: readonly Rgb[]): Rgb {
  const isGray = Math.max(...color) - Math.min(...color) < 16;
  const near = lowestContrast(color, grounds);
  if (scheme === 'light') return isGray && near < 1.5 ? [22, 24, 29] : color;
  return isGray && near < 3 ? [244, 245, 247] : shiftUntil(color, 'lighter', grounds, 2);
}

/** Returns white or a dark color for text on a ground. One of them always has a contrast of 4.5. */
export function textOn(ground: Rgb): Rgb {
  const candidates: readonly Rgb[] = [white, [16, 19, 26], black];
  return candidates.find((each) => contrast(each, ground) >= 4.5) ?? black;
}

function luminance([red, green, blue]: Rgb): number {
  const linear = (part: number) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

/** CSS Color 4, 7: the hue from 0 to 6, the others from 0 to 1. */
function hslOf(color: Rgb): { hue: number; saturation: number; lightness: number; chroma: number } {
  const [red, green, blue] = color.map((part) => part / 255) as unknown as Rgb;
  const [low, high] = [Math.min(red, green, blue), Math.max(red, green, blue)];
  const [chroma, lightness] = [high - low, (high + low) / 2];
  if (chroma === 0) return { hue: 0, saturation: 0, lightness, chroma };
  const hue =
    high === red
      ? ((green - blue) / chroma + 6) % 6
      : high === green
        ? (blue - red) / chroma + 2
        : (red - green) / chroma + 4;
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
