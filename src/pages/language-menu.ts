/** The menu of languages below the sign-in pages: a form that keeps the choice in a cookie. It works without a script. */
import { languageCookie } from '../domain/language.js';
import { internals } from '../core/internals.js';
import { html, type Html } from '../html/html.js';
import { setCookie } from '../http/session-cookie.js';
import { tokenField } from '../pages-kit/session-form.js';
import { InvalidRequestError } from '../errors/catalog.js';
import { icons } from './icons.js';
import { isPath } from './paths.js';
import { definePage, goTo, type Entry } from './page.js';
import type { Paths } from './paths.js';

const pathOf = ({ signIn }: Pick<Paths, 'signIn'>) => `${signIn}/language`;
const yearMs = 365 * 24 * 60 * 60_000;

/**
 * Null if there is no choice.
 * @param proof of the page that confirms a mailed link: the menu posts to the address of that page, which contains the link.
 */
export function languageMenu(visit: Entry, proof?: string): Html | null {
  const { base, flow, language, languages, paths, req, texts } = visit;
  if (languages.offered.length < 2) return null;
  const ownName = (each: string) => languages.nameOf(each);
  const choices = languages.offered.filter((each) => each !== language);
  // The response is a whole page: the script would keep the language and the direction of this one.
  const fields: [name: string, value: string][] =
    proof === undefined
      ? [
          [tokenField, flow.formToken],
          ['to', req.url],
        ]
      : [['proof', proof]];
  return html`<details class="languages">
    <summary>${icons.language}<span class="hidden">${texts.language}: </span>${ownName(language)}</summary>
    <form method="post" ${proof === undefined && html`action="${base}${pathOf(paths)}"`} data-plain>
      ${fields.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
      ${choices.map(
        (each) =>
          html`<button class="link" name="language" value="${each}" lang="${each}">${ownName(each)}</button>`,
      )}
    </form>
  </details>`;
}

/** Keeps the choice in the cookie of the browser. Without an end, the browser would forget it with its windows. */
export function keepLanguage(
  { req, res, service }: Pick<Entry, 'req' | 'res' | 'service'>,
  language: string,
): void {
  const tools = service[internals];
  const expiresAt = new Date(tools.clock() + yearMs);
  setCookie(tools, req, res, languageCookie, language, expiresAt, cookieAttributes);
}

/** Not strict: links in mails come from other sites. */
export const cookieAttributes = { sameSite: 'lax', path: '/', domain: undefined } as const;

/** Shows no page: a reload leads to the sign-in. */
export const languagePage = definePage({
  path: pathOf,
  access: 'open',
  isOffered: () => true,
  show: ({ paths }) => goTo(paths.signIn),
  forms: {
    '': {
      access: 'open',
      async submit(form, visit) {
        const language = visit.languages.offered.find((each) => each === form.get('language'));
        if (language === undefined)
          throw new InvalidRequestError('language must be one of the languages of the pages.');
        keepLanguage(visit, language);
        const to = form.get('to');
        return goTo(isPath(to) ? to : visit.paths.signIn);
      },
    },
  },
});
