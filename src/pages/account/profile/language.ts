/** The language that a user chooses for pages, mails and text messages. */
import { languageCookie } from '../../../domain/language.js';
import { internals } from '../../../core/internals.js';
import { clearCookie } from '../../../http/session-cookie.js';
import { select } from '../../../pages-kit/fields.js';
import { cookieAttributes, keepLanguage } from '../../../pages-kit/language-menu.js';
import { attempted } from '../../form.js';
import { changeBody } from '../change.js';
import { at, defineAccountPage, done, type AccountVisit, type ShownVisit } from '../page.js';
import type { AccountProfileView } from '../views.js';

/** The languages that the service offers and the pages have. */
function choicesOf({ languages, service }: AccountVisit): string[] {
  return languages.offered.filter((each) => service[internals].languages.offered.includes(each));
}

/** Null if there is no choice. */
export function chosenLanguage(visit: ShownVisit): AccountProfileView['language'] {
  const { offers, session } = visit;
  const choices = choicesOf(visit);
  if (offers.account === null || choices.length < 2) return null;
  const tag = choices.find((each) => each === session.user.language);
  return { chosen: tag === undefined ? null : { tag, name: visit.languages.nameOf(tag) } };
}

export const languagePage = defineAccountPage({
  section: 'profile',
  path: '/profile/language',
  access: 'no-impersonation',
  forGuests: true,
  isOffered: ({ account }) => account !== null,
  show(visit, attempt) {
    const { session, words } = visit;
    const { profile } = words;
    const choices = choicesOf(visit);
    const body = changeBody(visit, {
      form: {
        action: at(visit, '/profile/language'),
        fields: select({
          ...attempted(attempt, 'language', session.user.language ?? ''),
          label: profile.language,
          hint: profile.languageHint,
          choices: [
            ['', profile.browserLanguage],
            ...choices.map((each) => [each, visit.languages.nameOf(each)] as const),
          ],
        }),
        submit: profile.saveLanguage,
        cancel: at(visit, '/profile'),
      },
    });
    return {
      title: profile.changeLanguage,
      parent: { label: words.sections.profile, path: '/profile' },
      body,
    };
  },
  forms: {
    '': {
      access: 'no-impersonation',
      async submit(values, visit) {
        const { context, me, offers, req, res, service } = visit;
        const language = values.get('language') || null;
        await offers.account!.setLanguage({ userId: me.id, language }, context);
        // Also for the sign-in pages of this browser.
        if (language !== null) keepLanguage(visit, language);
        else clearCookie(service[internals], req, res, languageCookie, cookieAttributes);
        return done(visit, '/profile', 'language');
      },
    },
  },
});
