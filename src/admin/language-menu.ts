/** The menu of languages at the foot of the admin pages. It works without a script. */
import { findLanguage } from '../domain/language.js';
import { html, type Html } from '../html/html.js';
import { chosenLanguage, keepLanguage, languageForm } from '../pages-kit/language-menu.js';
import { tokenField } from '../pages-kit/session-form.js';
import { featuresOf } from './features.js';
import { defineAdminPage, type Call } from './page.js';

const path = '/language';

/** Null if there is no choice, or if only the account could make it and the pages cannot change that. */
export function languageMenu(call: Call): Html | null {
  const { base, formToken, language, languages, req, texts } = call;
  if (chosenOf(call) !== null && !canChoose(call)) return null;
  return languageForm({
    languages,
    language,
    label: texts.language,
    icon: html``,
    action: `${base}${path}`,
    fields: [
      [tokenField, formToken],
      // A form that was refused is shown at the path of its page, without what was typed.
      ['to', req.url],
    ],
  });
}

/** The language that the administrator has chosen for the account: it comes before that of the browser. */
function chosenOf({ languages, session }: Call): string | null {
  return findLanguage([session.user.language ?? ''], languages.offered);
}

const canChoose = ({ service }: Call): boolean => featuresOf(service).account !== null;

/** Shows no page: a reload leads to the users. */
export const languagePage = defineAdminPage({
  path,
  // Every administrator reads the pages, whatever `authorize` allows.
  access: 'no-impersonation',
  action: null,
  show: async () => ({ to: '/users' }),
  forms: {
    '': {
      access: 'no-impersonation',
      action: null,
      async submit(form, call) {
        const { context, languages, me, service } = call;
        const language = chosenLanguage(form, languages);
        if (chosenOf(call) !== null && canChoose(call))
          await service.account.setLanguage({ userId: me.id, language }, context);
        keepLanguage(call, language);
        return pathIn(form.get('to'));
      },
    },
  },
});

/** A path below that of the pages. More than one slash at the start would name another site, if the pages are mounted at the root. */
function pathIn(to: string | null): string {
  return to !== null && /^\/(?:[a-z][\w/?=&%.~+-]*)?$/i.test(to) && !to.startsWith('//') ? to : '/users';
}
