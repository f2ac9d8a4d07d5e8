/** `svc-auth/pages`: server-rendered pages for sign-in and accounts. Not loaded by `svc-auth`. */
export { html, type Html } from './html/html.js';
export { createPages } from './pages/create-pages.js';
export type { PagesOptions, PageSlots } from './pages/options.js';
export type { Paths } from './pages/paths.js';
export type { Texts } from './pages/texts/texts.js';
