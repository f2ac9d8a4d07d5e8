/** What the templates around the content of a page get. */
import type { Html } from '../html/html.js';

export interface CardView {
  content: Html;
  /** The menu of languages. Null if there is one language. */
  languageMenu: Html | null;
}

/** The document around every page. */
export interface DocumentView {
  title: string;
  /** The path of the icon in the tab of the browser. */
  icon: string;
  /** For the meta element of this name: `light`, `dark` or `light dark`. */
  colorScheme: string;
  bodyClass: string;
  content: Html;
  /** The elements of the head that belong to the package: its stylesheet, its script, and what the script needs. */
  files: Html;
}
