/** The words of the pages. A language is an object of this type, so a missing text is a type error. */
import type { en } from './en.js';

export type Texts = typeof en;
