/** The profile: the address and the user name. */
import { html, type Html } from '../../../html/html.js';
import { at, type AccountPage, type ShownVisit } from '../page.js';
import { languageRow } from './language.js';
import { canUpgrade } from './upgrade.js';
import { badge, linkButton, panel, row, when } from '../parts.js';

export const profilePage: AccountPage = {
  section: 'profile',
  path: '/profile',
  access: 'session',
  forGuests: true,
  isOffered: () => true,
  show(visit) {
    const { record, words } = visit;
    const rows = [
      emailRow(visit),
      visit.offers.usernames && !record.isGuest && usernameRow(visit),
      languageRow(visit),
      row({ title: words.profile.memberSince, detail: when(visit, record.createdAt) }),
    ].filter((each): each is Html => Boolean(each));
    const title = words.sections.profile;
    return {
      title,
      body: html`${record.isGuest && guestPanel(visit)}
      ${panel({ id: 'profile', title, rows, isTitleHidden: true })}`,
    };
  },
};

function emailRow(visit: ShownVisit): Html | false {
  const { offers, record, words } = visit;
  const { profile } = words;
  const { email, emailVerified, isGuest } = record;
  if (isGuest) return false;
  const state = emailVerified ? badge(profile.verified, 'good') : badge(profile.unverified, 'warn');
  const canVerify = email !== null && !emailVerified && offers.verification !== null;
  return row({
    title: profile.email,
    detail: email === null ? profile.noEmail : html`<bdi class="value">${email}</bdi> ${state}`,
    note: canVerify && profile.unverifiedLead,
    actions: [
      canVerify &&
        linkButton(visit, {
          path: at(visit, '/profile/verify-email'),
          label: profile.verify,
          kind: 'primary',
        }),
      offers.addresses &&
        linkButton(visit, {
          path: at(visit, '/profile/email'),
          label: email === null ? words.add : words.change,
          about: profile.email,
        }),
    ],
  });
}

function usernameRow(visit: ShownVisit): Html {
  const { record, words } = visit;
  const { username } = record;
  return row({
    title: words.profile.username,
    detail: username === null ? words.profile.noUsername : html`<bdi class="value">${username}</bdi>`,
    actions: [
      linkButton(visit, {
        path: at(visit, '/profile/username'),
        label: username === null ? words.add : words.change,
        about: words.profile.username,
      }),
      username !== null &&
        linkButton(visit, {
          path: at(visit, '/profile/username/remove'),
          label: words.remove,
          about: words.profile.username,
        }),
    ],
  });
}

function guestPanel(visit: ShownVisit): Html {
  const { offers, texts, words } = visit;
  return panel({
    id: 'guest',
    title: words.profile.guest,
    lead: words.profile.guestLead,
    action:
      canUpgrade(offers) &&
      linkButton(visit, {
        path: at(visit, '/profile/upgrade'),
        label: texts.signUp.submit,
        kind: 'primary',
      }),
  });
}
