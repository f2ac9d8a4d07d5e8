/** Numbers in a page, in its language. */
import { BoundedMap } from '../core/support/bounded-map.js';

/** By language: creating a format takes longer than the rest of a page. */
const formats = new BoundedMap<string, Intl.NumberFormat>(50);

/** Returns a number as text, such as `12,345`. */
export function counted(language: string, count: number): string {
  const format = formats.get(language) ?? new Intl.NumberFormat(language);
  formats.set(language, format);
  return format.format(count);
}
