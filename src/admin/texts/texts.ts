/** The words of the admin pages. A language is an object of this type, so a missing text is a type error. */
import type { en } from './en.js';

export type AdminTexts = typeof en;
