/** The languages of the pages, by their language tag. */
import { en } from './en.js';
import type { Texts } from './texts.js';

export const languages: Readonly<Record<string, Texts>> = { en };
