/** The profile: the name, the address, the user name and the language. */
import {
  avatar,
  badge,
  buttonForm,
  html,
  linkButton,
  panel,
  row,
  when,
  type AccountProfileView,
  type AccountTemplatePage,
  type Html,
} from '../template.js';

export function accountProfile(page: AccountTemplatePage, view: AccountProfileView): Html {
  const { words } = page;
  const { createdAt, email, guest, language, person, username } = view;
  const rows = [
    ...(person.canChange || person.avatar ? [personRow(page, person)] : []),
    ...(email ? [emailRow(page, email)] : []),
    ...(username ? [usernameRow(page, username)] : []),
    ...(language ? [languageRow(page, language)] : []),
    row({ title: words.profile.memberSince, detail: when(page, createdAt) }),
  ];
  return html`${guest && guestPanel(page, guest)}
  ${panel({ id: 'profile', title: words.sections.profile, rows, isTitleHidden: true })}`;
}

function personRow(
  page: AccountTemplatePage,
  { account, canChange, name, avatar: shown }: AccountProfileView['person'],
): Html {
  const { paths, words } = page;
  const { profile } = words;
  return row({
    icon: shown ? avatar(shown, 'large') : undefined,
    title: name === null ? (account ?? profile.name) : html`<bdi>${name}</bdi>`,
    detail: name === null ? canChange && profile.noName : account !== null && html`<bdi>${account}</bdi>`,
    actions:
      canChange &&
      linkButton(page, {
        path: `${paths.account}/profile/name`,
        label: name === null ? words.add : profile.edit,
        about: profile.name,
      }),
  });
}

function emailRow(
  page: AccountTemplatePage,
  { address, canChange, canVerify, isVerified, pending }: NonNullable<AccountProfileView['email']>,
): Html {
  const { paths, words } = page;
  const { profile } = words;
  // A code for it has been mailed, and not been entered.
  const waiting = pending === null ? null : profile.pendingEmail(html`<bdi class="value">${pending}</bdi>`);
  const state = isVerified ? badge(profile.verified, 'good') : badge(profile.unverified, 'warn');
  return row({
    title: profile.email,
    detail:
      address === null ? (waiting ?? profile.noEmail) : html`<bdi class="value">${address}</bdi> ${state}`,
    note: waiting === null ? canVerify && profile.unverifiedLead : address !== null && waiting,
    actions: [
      waiting !== null && [
        linkButton(page, {
          path: `${paths.account}/profile/email/code`,
          label: profile.enterCode,
          kind: 'primary',
        }),
        buttonForm(page, { action: `${paths.account}/profile/email/forget`, label: words.remove }),
      ],
      canVerify &&
        waiting === null &&
        linkButton(page, {
          path: `${paths.account}/profile/verify-email`,
          label: profile.verify,
          kind: 'primary',
        }),
      canChange &&
        (address !== null || waiting === null) &&
        linkButton(page, {
          path: `${paths.account}/profile/email`,
          label: address === null ? words.add : words.change,
          about: profile.email,
        }),
    ],
  });
}

function usernameRow(page: AccountTemplatePage, { name }: NonNullable<AccountProfileView['username']>): Html {
  const { paths, words } = page;
  return row({
    title: words.profile.username,
    detail: name === null ? words.profile.noUsername : html`<bdi class="value">${name}</bdi>`,
    actions: [
      linkButton(page, {
        path: `${paths.account}/profile/username`,
        label: name === null ? words.add : words.change,
        about: words.profile.username,
      }),
      name !== null &&
        linkButton(page, {
          path: `${paths.account}/profile/username/remove`,
          label: words.remove,
          about: words.profile.username,
        }),
    ],
  });
}

function languageRow(
  page: AccountTemplatePage,
  { chosen }: NonNullable<AccountProfileView['language']>,
): Html {
  const { paths, words } = page;
  return row({
    title: words.profile.language,
    detail: chosen ? html`<bdi lang="${chosen.tag}">${chosen.name}</bdi>` : words.profile.browserLanguage,
    actions: linkButton(page, {
      path: `${paths.account}/profile/language`,
      label: words.change,
      about: words.profile.language,
    }),
  });
}

function guestPanel(
  page: AccountTemplatePage,
  { canUpgrade }: NonNullable<AccountProfileView['guest']>,
): Html {
  const { paths, texts, words } = page;
  return panel({
    id: 'guest',
    title: words.profile.guest,
    lead: words.profile.guestLead,
    action:
      canUpgrade &&
      linkButton(page, {
        path: `${paths.account}/profile/upgrade`,
        label: texts.signUp.submit,
        kind: 'primary',
      }),
  });
}
