/** The menu of languages below the sign-in pages: a form that keeps the choice in a cookie. It works without a script. */
import type { Html } from '../html/html.js';
import { chosenLanguage, keepLanguage, languageForm } from '../pages-kit/language-menu.js';
import { tokenField } from '../pages-kit/session-form.js';
import { icons } from './icons.js';
import { isPath } from './paths.js';
import { definePage, goTo, type Entry } from './page.js';
import type { Paths } from './paths.js';

const pathOf = ({ signIn }: Pick<Paths, 'signIn'>) => `${signIn}/language`;

/**
 * Null if there is no choice.
 * @param proof of the page that confirms a mailed link: the menu posts to the address of that page, which contains the link.
 */
export function languageMenu(visit: Entry, proof?: string): Html | null {
  const { base, flow, language, languages, paths, req, texts } = visit;
  return languageForm({
    languages,
    language,
    label: texts.language,
    icon: icons.language,
    action: proof === undefined ? base + pathOf(paths) : null,
    fields:
      proof === undefined
        ? [
            [tokenField, flow.formToken],
            ['to', req.url],
          ]
        : [['proof', proof]],
  });
}

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
        keepLanguage(visit, chosenLanguage(form, visit.languages));
        const to = form.get('to');
        return goTo(isPath(to) ? to : visit.paths.signIn);
      },
    },
  },
});
