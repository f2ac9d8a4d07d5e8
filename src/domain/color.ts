/** Colors such as `#1f6b4f`, and their contrast (WCAG 2.2). */

/** Red, green and blue, from 0 to 255. */
export type Rgb = readonly [number, number, number];

export const white: Rgb = [255, 255, 255];
/** The darkest text of pages and mails. */
export const ink: Rgb = [16, 19, 26];

/** Returns the parts of a color such as `#1f6b4f`. Null for anything else. */
export function parseColor(color: unknown): Rgb | null {
  const match = typeof color === 'string' ? /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(color) : null;
  if (!match) return null;
  const part = (index: number) => parseInt(match[index] ?? '', 16);
  return [part(1), part(2), part(3)];
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

/** Returns the color of text on a ground: white if its contrast is 4.5, else the more readable one of white and ink. */
export function textOn(ground: Rgb): Rgb {
  const ofWhite = contrast(ground, white);
  return ofWhite >= 4.5 || ofWhite >= contrast(ground, ink) ? white : ink;
}

/**
 * Mixes a color with another until it has a contrast to the ground.
 * @param ratio default 4.5, the least for text (1.4.3). Parts of controls need 3 (1.4.11).
 */
export function readableOn(ground: Rgb, color: Rgb, towards: Rgb, ratio = 4.5): Rgb {
  for (let share = 0; share < 1; share += 0.04) {
    const mixed = mix(color, towards, share);
    // A little more than needed: the parts of a color are rounded.
    if (contrast(mixed, ground) >= ratio + 0.1) return mixed;
  }
  return towards;
}
