/** The languages of the admin pages: those that the service offers and the pages have. */
import { internals } from '../core/internals.js';
import type { Service } from '../engine/service.js';
import { PageLanguages, type PageLanguage } from '../pages-kit/page-languages.js';
import { builtInAdminPages } from './texts/built-in.js';
import { en } from './texts/en.js';
import type { AdminTexts } from './texts/texts.js';

export type AdminLanguage = PageLanguage<AdminTexts>;
export type AdminLanguages = PageLanguages<AdminTexts>;

export function createAdminLanguages(service: Service): AdminLanguages {
  const { offered, default: usual } = service[internals].languages;
  const spoken = offered.filter((each) => builtInAdminPages.has(each));
  const fallback = spoken.includes(usual) ? usual : (spoken[0] ?? 'en');
  return new PageLanguages(
    { english: en, languages: builtInAdminPages },
    spoken.length > 0 ? spoken : [fallback],
    fallback,
  );
}
