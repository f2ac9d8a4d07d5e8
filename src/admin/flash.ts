/**
 * The messages after a change. The redirect carries a code and the page has the text, so that no link can make the page say what
 * its author wants.
 */
import type { Call } from './page.js';
import type { AdminTexts } from './texts/texts.js';

export type Flash = keyof AdminTexts['done'];

/** Returns the path with the code of a message. */
export function withFlash(path: string, flash: Flash): string {
  return `${path}?done=${flash}`;
}

/** Returns the message of a request, or null. */
export function flashOf({ query, texts: { done } }: Pick<Call, 'query' | 'texts'>): string | null {
  const code = query.get('done') ?? '';
  return Object.hasOwn(done, code) ? done[code as Flash] : null;
}
