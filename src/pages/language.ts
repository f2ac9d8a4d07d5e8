/** The languages of the sign-in and account pages. */
import { PageLanguages as Languages } from '../pages-kit/page-languages.js';
import { builtInPages } from './texts/built-in.js';
import { en } from './texts/en.js';
import type { Texts } from './texts/texts.js';

export type PageLanguages = Languages<Texts>;

/** Arguments as those of `PageLanguages`, of which `own` are the languages of the application. */
export function createPageLanguages(
  offered: readonly string[],
  usual: string,
  own: Readonly<Record<string, Texts>>,
): PageLanguages {
  return new Languages({ english: en, languages: builtInPages }, offered, usual, own);
}
