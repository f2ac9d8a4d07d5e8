/** The profile: the name, the address, the user name and the language. */
import { keepPending, pendingOf } from '../../pending.js';
import { defineAccountPage, done, type ShownVisit } from '../page.js';
import type { AccountProfileView } from '../views.js';
import { personOf } from '../person.js';
import { chosenLanguage } from './language.js';
import { canUpgrade } from './upgrade.js';

export const profilePage = defineAccountPage({
  section: 'profile',
  path: '/profile',
  access: 'session',
  forGuests: true,
  isOffered: () => true,
  async show(visit) {
    const { offers, record, service, templates, words } = visit;
    const { createdAt, isGuest, username } = record;
    const body = templates.accountProfile(visit, {
      person: { ...(await personOf(service, record)), canChange: offers.profiles !== null },
      email: isGuest ? null : emailOf(visit),
      username: offers.usernames && !isGuest ? { name: username } : null,
      language: chosenLanguage(visit),
      createdAt,
      guest: isGuest ? { canUpgrade: canUpgrade(offers) } : null,
    });
    return { title: words.sections.profile, body };
  },
  forms: {
    'email/forget': {
      access: 'session',
      async submit(_values, visit) {
        keepPending(visit, visit.me.id, 'email', undefined);
        return done(visit, '/profile');
      },
    },
  },
});

function emailOf(visit: ShownVisit): AccountProfileView['email'] {
  const { me, offers, record } = visit;
  const { email, emailVerified } = record;
  const pending = offers.addresses ? pendingOf(visit, me.id, 'email') : undefined;
  return {
    address: email,
    isVerified: emailVerified,
    canVerify: email !== null && !emailVerified && offers.verification !== null,
    canChange: offers.addresses !== null,
    pending: pending === undefined || pending.toLowerCase() === email ? null : pending,
  };
}
