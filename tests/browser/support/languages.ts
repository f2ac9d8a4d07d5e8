/** The languages in which the pages are tested: English, and one that is written from right to left. */
import { builtInPages } from '../../../src/pages/texts/built-in.js';
import { en } from '../../../src/pages/texts/en.js';
import type { Texts } from '../../../src/pages/texts/texts.js';

const ar = await builtInPages.get('ar')?.();
if (!ar) throw new Error('The pages are not translated into Arabic.');

export const textsOf: Record<'en' | 'ar', Texts> = { en, ar };
